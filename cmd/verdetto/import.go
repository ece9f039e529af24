package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/recorded"
	"verdetto/shared/fare"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
)

func importCommand() *cobra.Command {
	var o options
	var out output
	c := newCommand("import", "add recorded fares to a store, also while it is served", nil)
	c.Use = "import FILE.csv[.gz]"
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) != 1 {
			return fmt.Errorf("%s needs one panel: a file of recorded fares", c.CommandPath())
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		err := importPanel(c.Context(), o, args[0], out)
		if err != nil && c.Context().Err() != nil {
			return errImportStopped
		}
		return err
	}
	c.Flags().StringVar(&o.price, "price", "",
		"take this `column` as the one-way fare, whatever return_date says; default: the column price")
	takeSettings(c, map[string]*string{"store": &o.store, "now": &o.now, "log": &o.log})
	out.flag(c)
	return c
}

// importGrace is the time in which an import can release its lease after a signal.
const importGrace = 500 * time.Millisecond

var errImportStopped = errors.New("stopped; the same command continues")

func importPanel(ctx context.Context, o options, file string, out output) error {
	// Some steps of an import do not check ctx. Such a step may be killed, because the next import continues.
	defer context.AfterFunc(ctx, func() {
		time.Sleep(importGrace)
		os.Exit(exitCode(errImportStopped))
	})()
	debug.SetGCPercent(50) // an import holds millions of fares in memory, beside a running service
	s, err := o.service()
	if err != nil {
		return err
	}
	if o.store == "" {
		return errors.New("import needs -store: without one there is nothing to keep")
	}
	var messages bytes.Buffer
	panel, partly, err := onemachine.OpenPanel(file, o.price, &messages)
	if err == nil && panel.Report().Fault != nil {
		// If the readable part of a damaged file were imported, a later import could not add the other fares of the
		// same days.
		return fmt.Errorf("read fares of %s: %w; nothing was imported", file, panel.Report().Fault)
	}
	_, _ = messages.WriteTo(out.notes())
	if err != nil {
		return err
	}
	r := panel.Report()
	if r.First > fare.DayOf(s.Now()) {
		return fmt.Errorf("%w: all fares were found after %s; set the clock with -now", csvfile.ErrNothing,
			fare.DayOf(s.Now()))
	}
	table, err := onemachine.OpenShared(ctx, o.store, s.Now)
	if err != nil {
		return err
	}
	defer table.Close()
	folder, err := workFolder(o.store)
	if err != nil {
		return err
	}
	bar, begun := newMeter("fares", s.Log), time.Now()
	bar.ended = nil
	report, err := recorded.Import{
		Target: table, Panel: panel, Folder: folder, Now: s.Now, Rates: ecb.Table().RatesOn,
		Progress: func(done, total int, day fare.Day) {
			paceCollection()
			bar.show(done, total, day.String())
		},
		Waiting: waiting(s.Log),
	}.Run(ctx)
	if err != nil {
		return err
	}
	result := struct {
		recorded.Report
		First string `json:"first"`
		Last  string `json:"last"`
	}{report, report.First.String(), report.Last.String()}
	if err := out.print(result, func(w io.Writer) { printImport(w, report, time.Since(begun)) }); err != nil {
		return err
	}
	if partly {
		return errPartly
	}
	return nil
}

// paceCollection delays garbage collection, because each day of a panel leaves much garbage.
func paceCollection() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetMemoryLimit(max(300<<20, int64(live[0].Value.Uint64())*3/2))
	debug.SetGCPercent(-1)
}

func workFolder(name string) (string, error) {
	if file, ok := strings.CutPrefix(name, "bolt:"); ok {
		return file + ".import", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder to work in: %w", err)
	}
	return filepath.Join(cache, "verdetto", strings.ReplaceAll(name, ":", "-")+".import"), nil
}

func printImport(w io.Writer, r recorded.Report, took time.Duration) {
	fmt.Fprintf(w, "import        %d new fares of %d routes, %d already stored\n", r.New, r.Series, r.Stored)
	for _, reason := range slices.Sorted(maps.Keys(r.Dropped)) {
		fmt.Fprintf(w, "  left out    %d: %s\n", r.Dropped[reason], reason)
	}
	if r.New == 0 {
		fmt.Fprintln(w, "nothing was changed")
		return
	}
	if r.Resumed > 0 {
		fmt.Fprintf(w, "              an earlier import was cut off; this one continued at %s\n", r.Resumed)
	}
	fmt.Fprintf(w, "days          %d folded again, %s to %s, in %.1f s; %d items written\n", r.Last-r.First+1, r.First,
		r.Last, took.Seconds(), r.Written)
}
