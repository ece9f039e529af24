package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/functions/alerts"
	"verdetto/functions/pro"
	"verdetto/shared/fare"
	"verdetto/shared/places"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/upstream/travelpayouts"
)

// choices are the flags that say what the service is made of.
type choices struct {
	store, upstream, at string
	money, mail         string
	pro                 *pro.Service // nil where nothing is sold
	alerts              *alerts.Service
	originSecrets       []string // see httpapi.Config; none where callers reach the process directly
	base                string   // where the service is reached; empty: not known
	now                 func() time.Time
	log                 *slog.Logger
}

func (c *choices) flags(f *flag.FlagSet) {
	f.StringVar(&c.store, "store", "", "where data is kept: `bolt:FILE` or dynamodb:TABLE; default: a file that is thrown away at the end")
	f.StringVar(&c.upstream, "upstream", "sample", "where fares come from: sample, `csv:FILE`, or travelpayouts (with TRAVELPAYOUTS_TOKEN in the environment)")
	f.StringVar(&c.at, "now", "", "set the service's clock to this `time` (RFC 3339, or a day) for replaying recorded fares")
}

// settle makes sense of the flags that need no opening.
func (c *choices) settle() error {
	c.log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	c.now = time.Now
	if c.at == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, c.at)
	if err != nil {
		// A day stands for its noon: what was found on it is known by then.
		if at, err = time.Parse(time.DateOnly, c.at); err != nil {
			return fmt.Errorf("-now %q: want RFC 3339 (2016-03-01T12:00:00Z) or a day (2016-03-01)", c.at)
		}
		at = at.Add(12 * time.Hour)
	}
	begun := time.Now()
	c.now = func() time.Time { return at.Add(time.Since(begun)) }
	return nil
}

// openStore opens the chosen store. Without a choice it is a file in a folder of its own that Close throws away.
func (c *choices) openStore(ctx context.Context) (store.Table, error) {
	kind, name, _ := strings.Cut(c.store, ":")
	switch {
	case c.store == "":
		dir, err := os.MkdirTemp("", "verdetto-*")
		if err != nil {
			return nil, fmt.Errorf("make a folder for the store: %w", err)
		}
		table, err := boltstore.Open(filepath.Join(dir, "verdetto.db"), c.now, boltstore.Scratch)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(dir))
		}
		return &scratch{table, dir}, nil
	case kind == "bolt" && name != "":
		return boltstore.Open(name, c.now)
	case kind == "dynamodb" && name != "":
		settings, err := config.LoadDefaultConfig(ctx)
		if err != nil {
			return nil, fmt.Errorf("load AWS configuration: %w", err)
		}
		return dynamostore.New(dynamodb.NewFromConfig(settings), name, c.now), nil
	}
	return nil, fmt.Errorf("-store %q: want bolt:FILE or dynamodb:TABLE", c.store)
}

// scratch is a store that is thrown away.
type scratch struct {
	store.Table
	dir string
}

func (s *scratch) Close() error {
	return errors.Join(s.Table.Close(), os.RemoveAll(s.dir))
}

// openUpstream opens the chosen source. A panel with bad rows is opened, its
// faults are written out, and partly is true.
func (c *choices) openUpstream(ctx context.Context, messages io.Writer) (source upstream.Source, partly bool, err error) {
	kind, name, _ := strings.Cut(c.upstream, ":")
	switch {
	case c.upstream == "sample":
		return sample.New(), false, nil
	case kind == "csv" && name != "":
		panel, err := csvfile.Open(name, comparable(ecb.Table().On))
		if err != nil {
			return nil, false, err
		}
		return panel, describe(panel, messages), nil
	case c.upstream == "travelpayouts":
		token := os.Getenv("TRAVELPAYOUTS_TOKEN")
		if token == "" {
			return nil, false, fmt.Errorf("-upstream travelpayouts: set TRAVELPAYOUTS_TOKEN (a free partner account gives one)")
		}
		today := ecb.Current(ctx, &ecb.Feed{}, ecb.Table(), c.log)
		source, err := travelpayouts.New(travelpayouts.Config{
			Token:      token,
			BaseURL:    os.Getenv("TRAVELPAYOUTS_URL"),
			Comparable: comparable(func(fare.Day) fare.Rates { return today }),
		})
		return source, false, err
	}
	return nil, false, fmt.Errorf("-upstream %q: want sample, csv:FILE or travelpayouts", c.upstream)
}

func comparable(rates func(fare.Day) fare.Rates) upstream.Comparable {
	return upstream.Comparable{CityOf: places.CityOf, Rates: rates}
}

// describe tells what a panel held and whether rows of it could not be read.
func describe(panel *csvfile.Panel, messages io.Writer) (partly bool) {
	r := panel.Report()
	fmt.Fprintf(messages, "panel         %d rows, %d fares\n", r.Rows, r.Fares)
	for _, bad := range r.Bad {
		fmt.Fprintf(messages, "  bad row     %s\n", bad)
	}
	if r.BadTotal > len(r.Bad) {
		fmt.Fprintf(messages, "  and %d more bad rows\n", r.BadTotal-len(r.Bad))
	}
	if r.Fault != nil {
		fmt.Fprintf(messages, "  fault       %v; the rows before it are loaded\n", r.Fault)
	}
	return r.BadTotal > 0 || r.Fault != nil
}
