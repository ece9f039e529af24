package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/fare"
	"verdetto/shared/fare/paid"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/anac"
)

func baselineCommand() *cobra.Command {
	var o options
	var out output
	c := newCommand("baseline", "add what passengers paid in Brazil, as ANAC records it", nil)
	c.Long = `Adds what passengers paid on routes within Brazil, also while the store is served. Each file
is a month of ANAC's micro data of domestic fares, a CSV file or a zip archive. It replaces what the
store has of its month. Answers show the mean of the last 12 months below the verdict, and no verdict
uses it.`
	c.Use = "baseline FILE..."
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s needs a file: a month of ANAC's micro data of domestic fares", c.CommandPath())
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		report, err := addBaseline(c.Context(), o, args)
		if err != nil {
			return err
		}
		if err := out.print(report, report.print); err != nil {
			return err
		}
		if report.Dropped[upstream.Malformed] > 0 {
			return errPartly
		}
		return nil
	}
	takeSettings(c, map[string]*string{"store": &o.store, "now": &o.now, "log": &o.log})
	out.flag(c)
	return c
}

// baselineReport sums up what a command added.
type baselineReport struct {
	Rows    int                     `json:"rows"`
	Dropped map[upstream.Reason]int `json:"dropped,omitempty"`
	Routes  int                     `json:"routes"`
	Months  []string                `json:"months"`
	Written int                     `json:"written"` // origins whose figures changed
}

// addBaseline reads all files and then changes the store. So a fault in a file changes nothing.
func addBaseline(ctx context.Context, o options, files []string) (report baselineReport, err error) {
	s, err := o.service()
	if err != nil {
		return report, err
	}
	if o.store == "" {
		return report, errors.New("baseline needs -store: without one there is nothing to keep")
	}
	now := s.Now().UTC()
	record := anac.Record{Newest: paid.Month(12*now.Year() + int(now.Month()) - 1)}
	bar := newMeter("rows", s.Log)
	bar.ended = nil // the report says it
	for _, name := range files {
		err := readBaseline(ctx, &record, name, func(rows int) { bar.show(rows, 0, name) })
		bar.clear()
		if err != nil {
			return report, fmt.Errorf("read %s: %w; nothing was changed", name, err)
		}
	}
	table, err := onemachine.OpenShared(ctx, o.store, s.Now)
	if err != nil {
		return report, err
	}
	defer table.Close()
	months, fresh := record.Months(), record.Origins()
	report = baselineReport{Rows: record.Rows, Dropped: record.Dropped, Routes: record.Routes()}
	for _, m := range months {
		report.Months = append(report.Months, m.String())
	}
	change := func(origin fare.City, had []byte) ([]byte, error) {
		var old paid.Origin
		if had != nil {
			var err error
			if old, err = paid.Decode(had); err != nil {
				return nil, err
			}
		}
		of := fresh[origin]
		of.Source, of.Currency = anac.Source, anac.Currency
		return old.Merge(of, months).Encode(), nil
	}
	report.Written, err = store.Fares{Table: table}.RewriteBaseline(ctx, slices.Collect(maps.Keys(fresh)), change)
	return report, advised(err, "figures that are stored already are not added twice")
}

// readBaseline adds a file to a record.
func readBaseline(ctx context.Context, record *anac.Record, name string, progress func(rows int)) error {
	file, err := anac.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	return record.Read(name, untilDone{ctx, file}, progress)
}

// untilDone is a reader that fails when the context ends.
type untilDone struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.Reader.Read(p)
}

// print writes the report as text for people.
func (r baselineReport) print(w io.Writer) {
	fmt.Fprintf(w, "baseline      %d rows, %d routes, months %s to %s\n", r.Rows, r.Routes, r.Months[0],
		r.Months[len(r.Months)-1])
	for _, reason := range slices.Sorted(maps.Keys(r.Dropped)) {
		fmt.Fprintf(w, "  left out    %d: %s\n", r.Dropped[reason], reason)
	}
	if r.Written == 0 {
		fmt.Fprintln(w, "nothing was changed")
		return
	}
	fmt.Fprintf(w, "stored        figures from %d cities\n", r.Written)
}
