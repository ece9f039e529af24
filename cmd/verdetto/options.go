package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/settings"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/verdict"
)

// options are the flags that commands have in common.
type options struct {
	store, upstream, price, now, log string
}

// flags returns the flags that are settings, and adds that which is none.
func (o *options) flags(c *cobra.Command) map[string]*string {
	c.Flags().StringVar(&o.price, "price", "", "of a panel, take this `column` as the one-way fare, whatever return_date says; default: the column price")
	return map[string]*string{"store": &o.store, "upstream": &o.upstream, "now": &o.now, "log": &o.log}
}

// service gives what a service is made of as far as nothing has to be opened for it: a clock and a log.
func (o *options) service() (onemachine.Options, error) {
	now, err := onemachine.Clock(o.now)
	return onemachine.Options{Now: now, Log: slog.New(logTo(os.Stderr, o.log))}, err
}

const jsonLog = "json"

// logTo writes the log as text for people, or as JSON for programs.
func logTo(w io.Writer, form string) slog.Handler {
	if form == jsonLog {
		return slog.NewJSONHandler(w, nil)
	}
	return slog.NewTextHandler(w, nil)
}

// open opens the source and then the store: where the source cannot be read, no store is made for nothing.
func (o *options) open(ctx context.Context, s *onemachine.Options, messages io.Writer) (partly bool, err error) {
	if s.Source, partly, err = onemachine.OpenSource(ctx, o.upstream, o.price, s, messages); err != nil {
		return false, err
	}
	if panel, ok := s.Source.(*csvfile.Panel); ok {
		if err := panel.Report().UsableAt(s.Now(), verdict.HistoryDays); err != nil {
			return false, err
		}
	}
	s.Table, err = onemachine.OpenStore(ctx, o.store, s.Now)
	return partly, err
}

// takeSettings has a command take settings from its flags, the environment and a file.
func takeSettings(c *cobra.Command, to map[string]*string) {
	file := settingsFile(c, to)
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		_, faults := settings.Take(c.Flags(), *file)
		return settingsError(faults)
	}
}

// settingsFile adds the flags of settings, and that of a file with settings, whose name it returns.
func settingsFile(c *cobra.Command, to map[string]*string) *string {
	settings.Flags(c.Flags(), to)
	return c.Flags().String("config", os.Getenv("VERDETTO_CONFIG"),
		"a `file` with settings, NAME = \"value\" on each line; flags and the environment go before it (VERDETTO_CONFIG)")
}

func settingsError(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("settings:\n  %s", strings.Join(faults, "\n  "))
}
