package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/settings"
	"verdetto/shared/runtime/config"
	"verdetto/shared/upstream"
)

func checkCommand() *cobra.Command {
	var o serveOptions
	var out output
	var ask bool
	c := newCommand("check", "check the settings and list every mistake", nil)
	out.flag(c)
	c.Flags().BoolVar(&ask, "source", false, "also ask the fare source whether it takes the token and answers in the known form")
	file := settingsFile(c, o.flags(c))
	c.RunE = func(c *cobra.Command, _ []string) error {
		taken, faults := settings.Take(c.Flags(), *file)
		// The source is called only with -source, because a service must be able to start while its
		// fare source fails.
		if err := o.check(taken, faults, out); err != nil || !ask {
			return err
		}
		if o.upstream != "travelpayouts" {
			return fmt.Errorf("-source: fares come from %s; only travelpayouts can be asked", o.upstream)
		}
		return compareForm(c.Context(), out.notes())
	}
	return c
}

// compareForm does not fail if the fare source does not answer, because then no setting is wrong.
func compareForm(ctx context.Context, w io.Writer) error {
	source, err := onemachine.RealSource()
	if err != nil {
		return err
	}
	differences, err := source.Drift(ctx)
	for _, d := range differences {
		fmt.Fprintf(w, "travelpayouts %s\n", d)
	}
	switch {
	case errors.Is(err, upstream.ErrRefused):
		return fmt.Errorf("TRAVELPAYOUTS_TOKEN: %w", err)
	case len(differences) > 0:
		return fmt.Errorf("%d differences from the form that this version reads; fares may be missing", len(differences))
	case err != nil:
		fmt.Fprintf(w, "the answers of travelpayouts could not be compared: %v\n", err)
	default:
		fmt.Fprintln(w, "travelpayouts answers in the form that this version reads")
	}
	return nil
}

func (o *serveOptions) check(taken []settings.ValuedSetting, faults []string, out output) error {
	for _, fault := range o.faults() {
		name, _, _ := strings.Cut(fault, ":")
		if !slices.ContainsFunc(faults, func(known string) bool { return about(known) == name }) {
			faults = append(faults, fault)
		}
	}
	report := checked{[]checkedSetting{}, append([]string{}, faults...)}
	for _, t := range taken {
		value := t.Value
		if t.Secret {
			value = "(secret)"
		}
		report.Settings = append(report.Settings, checkedSetting{t.Name, value, t.From})
	}
	if err := out.print(report, report.Print); err != nil {
		return err
	}
	if len(faults) > 0 {
		return errors.New(wrongSettings(len(faults)))
	}
	return nil
}

type checked struct {
	Settings []checkedSetting `json:"settings"`
	Faults   []string         `json:"faults"`
}

type checkedSetting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"`
}

func (c checked) Print(w io.Writer) {
	for _, fault := range c.Faults {
		fmt.Fprintln(w, fault)
	}
	if len(c.Faults) > 0 {
		return
	}
	for _, s := range c.Settings {
		fmt.Fprintf(w, "%-26s %s, by %s\n", s.Name, s.Value, s.From)
	}
	fmt.Fprintln(w, "the settings are right; verdetto serve accepts them")
}

func about(fault string) string {
	name, _, _ := strings.Cut(fault, ":")
	if s, ok := config.OfFlag(strings.TrimPrefix(name, "-")); ok {
		return s.Name
	}
	return strings.TrimSuffix(name, "_FILE")
}
