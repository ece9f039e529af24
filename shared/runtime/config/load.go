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

// Secrets reads secrets by name. Unknown names are absent from the result.
type Secrets func(ctx context.Context, names []string) (map[string]string, error)

const SecretMark = "ssm:"

// secretsTimeout fits into the time that Lambda allows for a start.
const secretsTimeout = 5 * time.Second

// Load fills groups, which are pointers to structs of this package. Load cannot read a value of
// the form ssm:/name.
func Load(groups ...any) error { return LoadWith(nil, groups...) }

func LoadWith(secrets Secrets, groups ...any) error {
	faults := faults(secrets, groups)
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("configuration:\n  %s", strings.Join(faults, "\n  "))
}

func Faults(groups ...any) []string { return faults(nil, groups) }

func faults(secrets Secrets, groups []any) (faults []string) {
	values, unknown, faults := resolve(secrets, groups)
	reported := map[string]bool{}
	for name := range unknown {
		reported[name] = true
	}
	for _, g := range groups {
		for _, fault := range parse(g, values, reported) {
			if !slices.Contains(faults, fault) {
				faults = append(faults, fault)
			}
		}
	}
	return faults
}

func parse(group any, values map[string]string, reported map[string]bool) (faults []string) {
	fields, err := env.GetFieldParams(group)
	if err != nil {
		return []string{err.Error()}
	}
	for _, f := range fields {
		s, ok := Named(f.Key)
		switch value := values[f.Key]; {
		case !ok || reported[f.Key]:
		case value == "" && f.NotEmpty:
			faults, reported[f.Key] = append(faults, s.Missing()), true
		case value != "":
			if wrong := s.Faults(value); len(wrong) > 0 {
				faults, reported[f.Key] = append(faults, wrong...), true
			}
		}
	}
	err = env.ParseWithOptions(group, env.Options{Environment: values})
	if err == nil || len(faults) > 0 || len(reported) > 0 {
		return faults
	}
	return []string{err.Error()} // the value fits the Setting, but not the type of the field
}

func resolve(secrets Secrets, groups []any) (values, unknown map[string]string, faults []string) {
	values, unknown = map[string]string{}, map[string]string{}
	named := map[string]string{}
	for _, g := range groups {
		fields, err := env.GetFieldParams(g)
		if err != nil {
			faults = append(faults, err.Error())
			continue
		}
		for _, f := range fields {
			value := os.Getenv(f.Key)
			if s, ok := Named(f.Key); ok && value == "" {
				value = s.Default
			}
			values[f.Key] = value
			if name, ok := strings.CutPrefix(value, SecretMark); ok {
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
		fault := fmt.Sprintf("%s: there is no secret named %s; put one there, or have the variable name another", key,
			named[key])
		if err != nil {
			fault = fmt.Sprintf("%s: the secret named %s could not be read: %v", key, named[key], err)
		}
		unknown[key] = fault
		faults = append(faults, fault)
	}
	return values, unknown, faults
}

// most is the largest edit distance that Nearest accepts.
func Nearest(mistyped string, names []string, most int) (nearest string) {
	for _, name := range names {
		if d := distance(mistyped, name); d <= most {
			nearest, most = name, d-1
		}
	}
	return nearest
}

func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := before
			if a[i] != b[j] {
				changed++
			}
			before = row[j+1]
			row[j+1] = min(changed, before+1, row[j]+1)
		}
	}
	return row[len(b)]
}
