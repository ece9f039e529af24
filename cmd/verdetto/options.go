package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/settings"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/verdict"
)

// options are the flags that commands have in common.
type options struct {
	store, upstream, price, now, log string
}

func (o *options) register(f *flag.FlagSet) {
	settings.Flags(f, map[string]*string{"store": &o.store, "upstream": &o.upstream, "now": &o.now, "log": &o.log})
	f.StringVar(&o.price, "price", "", "of a panel, take this `column` as the one-way fare, whatever return_date says; default: the column price")
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

// parse reads flags and refuses what is left over. A command that takes a settings file (takeSettings) is given its settings.
func parse(flags *flag.FlagSet, args []string) error {
	if err := parseFlags(flags, args); err != nil {
		return err
	}
	config := flags.Lookup(configFlag)
	if config == nil {
		return nil
	}
	file, ok := config.Value.(*settingsFile)
	if !ok {
		return nil
	}
	_, faults := settings.Take(flags, file.String())
	return settingsError(faults)
}

func parseFlags(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "%s takes no argument %q; see %s -help\n", flags.Name(), flags.Arg(0), flags.Name())
		return errUsage
	}
	return nil
}

// configFlag names the file with settings, where its value is a settingsFile. The command sam names the operator's choices by it.
const configFlag = "config"

// settingsFile is the value of the flag that names the file with settings.
type settingsFile string

func (s *settingsFile) String() string { return string(*s) }

// Set never fails: settings.Take reads the file, and says what is wrong with it.
func (s *settingsFile) Set(name string) error {
	*s = settingsFile(name)
	return nil
}

// takeSettings has a command take its settings from the environment and from a file.
func takeSettings(f *flag.FlagSet) {
	file := settingsFile(os.Getenv("VERDETTO_CONFIG"))
	f.Var(&file, configFlag, "a `file` with settings, NAME = \"value\" on each line; flags and the environment go before it (VERDETTO_CONFIG)")
}

func settingsError(faults []string) error {
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("settings:\n  %s", strings.Join(faults, "\n  "))
}
