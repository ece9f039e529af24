package config

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Secrets reads secrets by name. A name that is unknown is absent from the answer.
type Secrets func(ctx context.Context, names []string) (map[string]string, error)

// secretMark begins a value that names a secret.
const secretMark = "ssm:"

// secretsTimeout is how long reading secrets may take: within what Lambda gives a start.
const secretsTimeout = 5 * time.Second

// Load fills the groups, which are pointers to the structs above, where no value
// is kept elsewhere.
func Load(groups ...any) error { return LoadWith(nil, groups...) }

// LoadWith fills the groups, and asks secrets for what is kept elsewhere; it is not
// called where nothing is.
func LoadWith(secrets Secrets, groups ...any) error {
	values, unknown, faults := resolve(secrets, groups)
	for _, g := range groups {
		faults = append(faults, parse(g, values)...)
	}
	// Of a value that could not be had there is nothing else to say.
	faults = slices.DeleteFunc(faults, func(err error) bool {
		name, _, _ := strings.Cut(err.Error(), ":")
		return unknown[name] != "" && err.Error() != unknown[name]
	})
	if len(faults) == 0 {
		return nil
	}
	lines := make([]string, len(faults))
	for i, f := range faults {
		lines[i] = "  " + f.Error()
	}
	return fmt.Errorf("configuration:\n%s", strings.Join(lines, "\n"))
}

// parse fills one group. What is filled is checked, whatever else of the group is missing.
func parse(group any, values map[string]string) (faults []error) {
	err := env.ParseWithOptions(group, env.Options{Environment: values})
	var several env.AggregateError
	switch {
	case errors.As(err, &several):
		faults = several.Errors
	case err != nil:
		faults = []error{err}
	}
	c, ok := group.(checker)
	if !ok {
		return faults
	}
	missing := fmt.Sprint(faults)
	for _, fault := range c.check() {
		if name, _, _ := strings.Cut(fault.Error(), ":"); !strings.Contains(missing, `"`+name+`"`) {
			faults = append(faults, fault)
		}
	}
	return faults
}

// resolve gives the environment of the groups with secrets in their places, and by
// variable the faults of those that could not be had.
func resolve(secrets Secrets, groups []any) (values, unknown map[string]string, faults []error) {
	values, unknown = map[string]string{}, map[string]string{}
	named := map[string]string{} // by variable
	for _, g := range groups {
		fields, err := env.GetFieldParams(g)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		for _, f := range fields {
			value, set := os.LookupEnv(f.Key)
			if !set {
				continue
			}
			values[f.Key] = value
			if name, ok := strings.CutPrefix(value, secretMark); ok {
				named[f.Key] = name
			}
		}
	}
	if len(named) == 0 {
		return values, unknown, faults
	}
	var found map[string]string
	var err error
	if secrets == nil {
		err = errors.New("no secrets are kept where this runs")
	} else {
		ctx, cancel := context.WithTimeout(context.Background(), secretsTimeout)
		defer cancel()
		names := slices.Sorted(maps.Values(named))
		found, err = secrets(ctx, slices.Compact(names))
	}
	for _, key := range slices.Sorted(maps.Keys(named)) {
		if value, ok := found[named[key]]; ok && err == nil {
			values[key] = value
			continue
		}
		fault := fmt.Errorf("%s: there is no secret named %s; put one there, or have the variable name another", key, named[key])
		if err != nil {
			fault = fmt.Errorf("%s: the secret named %s could not be read: %w", key, named[key], err)
		}
		unknown[key] = fault.Error()
		faults = append(faults, fault)
	}
	return values, unknown, faults
}
