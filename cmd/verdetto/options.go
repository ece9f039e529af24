package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/verdict"
)

// options are the flags that commands have in common.
type options struct {
	store, upstream, price, now string
}

func (o *options) register(f *flag.FlagSet) {
	f.StringVar(&o.store, "store", "", "where data is kept: `bolt:FILE` or dynamodb:TABLE; default: a file that is thrown away at the end")
	f.StringVar(&o.upstream, "upstream", "sample", "where fares come from: sample, `csv:FILE`, or travelpayouts (with TRAVELPAYOUTS_TOKEN in the environment)")
	f.StringVar(&o.price, "price", "", "of a panel, take this `column` as the one-way fare, whatever return_date says; default: the column price")
	f.StringVar(&o.now, "now", "", "set the service's clock to this `time` (RFC 3339, or a day) for replaying recorded fares")
}

// service gives what a service is made of as far as nothing has to be opened for it: a clock and a log.
func (o *options) service() (onemachine.Options, error) {
	now, err := clock(o.now)
	return onemachine.Options{Now: now, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}, err
}

// clock goes on from a time; without one it is the machine's.
func clock(text string) (func() time.Time, error) {
	if text == "" {
		return time.Now, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		// A day stands for its noon: what was found on it is known by then.
		if at, err = time.Parse(time.DateOnly, text); err != nil {
			return nil, fmt.Errorf("-now %q: want RFC 3339 (2016-03-01T12:00:00Z) or a day (2016-03-01)", text)
		}
		at = at.Add(12 * time.Hour)
	}
	begun := time.Now()
	return func() time.Time { return at.Add(time.Since(begun)) }, nil
}

// open opens the source and then the store: where the source cannot be read, no store is made for nothing.
func (o *options) open(ctx context.Context, s *onemachine.Options, messages io.Writer) (partly bool, err error) {
	if s.Source, partly, err = onemachine.OpenSource(ctx, o.upstream, o.price, s.Log, messages); err != nil {
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

// parse reads flags and refuses what is left over.
func parse(flags *flag.FlagSet, args []string) error {
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
