package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/sample"
)

type source struct {
	upstream.Source
	faults *faults
}

var errSource = errors.New("injected fault of the fare source")

func (s *source) Fares(ctx context.Context, origin fare.City, since, until time.Time) (a upstream.Answer, err error) {
	if s.faults.isDown("token") {
		return a, upstream.ErrRefused
	}
	err = s.faults.around("source", errSource, errSource, func() error {
		a, err = s.Source.Fares(ctx, origin, since, until)
		return err
	})
	return a, err
}

type deep struct{ *source }

func (s deep) Departures(ctx context.Context, q upstream.Question, until time.Time) (a upstream.Answer, err error) {
	if s.faults.isDown("token") {
		return a, upstream.ErrRefused
	}
	err = s.faults.around("source", errSource, errSource, func() error {
		a, err = s.Source.(upstream.Deep).Departures(ctx, q, until)
		return err
	})
	return a, err
}

func (s *source) offered() upstream.Source {
	if _, ok := s.Source.(upstream.Deep); ok {
		return deep{s}
	}
	return s
}

type nothing struct{ upstream.Source }

func (nothing) Name() string { return "csv" }

func (nothing) Origins(context.Context) ([]fare.City, error) { return nil, nil }

// By default, the service does not show single past fares of a source with the name travelpayouts.
type named struct {
	upstream.Source
	name string
}

func (n named) Name() string { return n.name }

// world is a small part of the invented world, so that a refresh is fast.
type world struct{ *sample.Source }

var shown = []fare.Route{
	{Origin: "MIL", Destination: "BCN"}, {Origin: "MIL", Destination: "BUH"}, {Origin: "MIL", Destination: "LIS"},
	{Origin: "MIL", Destination: "TYO"}, {Origin: "ROM", Destination: "LON"},
}

func (world) Origins(context.Context) ([]fare.City, error) { return []fare.City{"MIL", "ROM"}, nil }

func (w world) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	a, err := w.Source.Fares(ctx, origin, since, until)
	a.Fares = slices.DeleteFunc(a.Fares, func(f fare.Fare) bool { return !slices.Contains(shown, f.Route) })
	return a, err
}

var (
	worlds sync.Map // maps the time of a refresh to a function that returns the refreshed store
	invent = sync.OnceValue(func() world { return world{sample.New()} })
)

func fares(s *story, ts *testscript.TestScript, _ bool, args []string) {
	one(ts, args)
	from := s.source
	hidden := from.Name() == "travelpayouts"
	if args[0] == "sample" {
		from.Source = invent()
	} else {
		panel, _, err := onemachine.OpenPanel(ts.MkAbs(args[0]), "", io.Discard)
		ts.Check(err)
		from.Source = panel
	}
	if hidden {
		from.Source = named{from.Source, "travelpayouts"}
	}
	s.options.Source = from.offered()
	if args[0] != "sample" || s.table != nil {
		refresh(s, ts, false, nil)
	} else {
		once, _ := worlds.LoadOrStore(s.unix.Load(), sync.OnceValues(func() ([]byte, error) { return refreshed(s.now) }))
		content, err := once.(func() ([]byte, error))()
		ts.Check(err)
		ts.Check(os.WriteFile(s.file(), content, 0o600))
	}
}

func refreshed(now func() time.Time) ([]byte, error) {
	dir, err := os.MkdirTemp("", "verdetto-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	table, err := onemachine.OpenStore(background, "bolt:"+filepath.Join(dir, "store"), now)
	if err != nil {
		return nil, err
	}
	err = ask(onemachine.Options{Table: table, Now: now, Source: invent()})
	if err = errors.Join(err, table.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, "store"))
}

func refresh(s *story, ts *testscript.TestScript, _ bool, _ []string) {
	var err error
	s.step(ts, func() bool {
		o := s.options
		if n, ok := s.source.Source.(named); ok {
			o.Source = (&source{n.Source, &s.faults}).offered() // the rates of Travelpayouts come from the network
		}
		defer s.at.work("refresh")()
		err = ask(o)
		return err != nil
	})
	ts.Check(err)
}

func ask(o onemachine.Options) error {
	kept := store.Fares{Table: o.Table}
	if err := kept.Claim(background, o.Source.Name(), o.Now()); err != nil {
		return err
	}
	report, err := o.Refresh(background, nil)
	if err == nil && report.Failed > 0 {
		err = fmt.Errorf("refresh: %+v", report)
	}
	if err != nil {
		return err
	}
	deep, err := o.Deepen(background, nil)
	if err == nil && deep.Failed > 0 {
		err = fmt.Errorf("refresh of departures: %+v", deep)
	}
	for _, run := range []store.Run{store.Discovery, store.Depth} {
		var version int64
		if err == nil {
			_, version, err = kept.LastRun(background, run)
		}
		if err == nil {
			err = kept.SetRun(background, run, o.Now(), version)
		}
	}
	return err
}
