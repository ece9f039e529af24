package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/settings"
	"verdetto/shared/store"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/verdict"
)

type options struct {
	store, upstream, price, now, log string
}

func (o *options) flags(c *cobra.Command) map[string]*string {
	c.Flags().StringVar(&o.price, "price", "", "read one-way fares of a panel from this `column`, also in rows with a return_date; default: the column price")
	return map[string]*string{"store": &o.store, "upstream": &o.upstream, "now": &o.now, "log": &o.log}
}

func (o *options) service() (onemachine.Options, error) {
	now, err := onemachine.Clock(o.now)
	return onemachine.Options{Now: now, Log: slog.New(logTo(os.Stderr, o.log))}, err
}

const jsonLog = "json"

func logTo(w io.Writer, form string) slog.Handler {
	if form == jsonLog {
		return slog.NewJSONHandler(w, nil)
	}
	return slog.NewTextHandler(w, nil)
}

type lines struct{ log *slog.Logger }

func (l lines) Write(text []byte) (int, error) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			l.log.Info(line)
		}
	}
	return len(text), nil
}

func (o *options) notes(log *slog.Logger, w io.Writer) io.Writer {
	if o.log == jsonLog {
		return lines{log}
	}
	return w
}

type opener func(ctx context.Context, name string, now func() time.Time) (store.Table, error)

// open opens the source before the store, so that an unreadable source creates no store.
func (o *options) open(ctx context.Context, s *onemachine.Options, messages io.Writer, table opener) (partly bool,
	err error) {
	if s.Source, partly, err = onemachine.OpenSource(ctx, o.upstream, o.price, s, messages); err != nil {
		return false, err
	}
	if panel, ok := s.Source.(*csvfile.Panel); ok {
		if err := panel.Report().UsableAt(s.Now(), verdict.HistoryDays); err != nil {
			return false, err
		}
	}
	if s.Table, err = table(ctx, o.store, s.Now); err != nil {
		return partly, err
	}
	if err := checkSource(ctx, s.Table, o.store, s.Source.Name()); err != nil {
		return partly, errors.Join(err, s.Table.Close())
	}
	return partly, nil
}

// checkSource fails if the table holds the fares of another source. name is the value of -store.
func checkSource(ctx context.Context, table store.Table, name, source string) error {
	if err := (store.Fares{Table: table}).CheckSource(ctx, source); err != nil {
		return fmt.Errorf("open -store %s: %w", name, err)
	}
	return nil
}

func advised(err error, why string) error {
	if errors.Is(err, store.ErrUnavailable) {
		return fmt.Errorf("%w; run this again: %s", err, why)
	}
	return err
}

func takeSettings(c *cobra.Command, to map[string]*string) {
	file := settingsFile(c, to)
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		_, faults := settings.Take(c.Flags(), *file)
		return settingsError(faults)
	}
}

func settingsFile(c *cobra.Command, to map[string]*string) *string {
	settings.Flags(c.Flags(), to)
	file := os.Getenv("VERDETTO_CONFIG")
	for _, usual := range []string{setUpFile, serversFile} {
		if _, err := os.Stat(usual); file == "" && err == nil {
			file = usual
		}
	}
	return c.Flags().String("config", file,
		"the settings `file`, NAME = \"value\" on each line; flags and the environment override it (VERDETTO_CONFIG). "+
			"Without one: "+setUpFile+" in this folder, or "+serversFile+", if it exists")
}

func settingsError(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%s:\n  %s", wrongSettings(len(faults)), strings.Join(faults, "\n  "))
}

func wrongSettings(n int) string {
	if n == 1 {
		return "1 setting is wrong"
	}
	return fmt.Sprintf("%d settings are wrong", n)
}

type output struct{ form string }

func (o *output) flag(c *cobra.Command) {
	o.form = "text"
	c.Flags().VarP(o, "output", "o", "`form` of the result: text or json")
}

func (o *output) Set(form string) error {
	if form != "text" && form != jsonLog {
		return fmt.Errorf("want text or json")
	}
	o.form = form
	return nil
}

func (o *output) String() string { return o.form }

func (o *output) Type() string { return "form" }

func (o *output) json() bool { return o.form == jsonLog }

func (o *output) notes() io.Writer {
	if o.json() {
		return os.Stderr
	}
	return os.Stdout
}

func (o *output) print(result any, text func(w io.Writer)) error {
	if !o.json() {
		text(os.Stdout)
		return nil
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(result); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}
