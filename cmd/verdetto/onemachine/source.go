package onemachine

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/upstream/travelpayouts/configured"
)

// OpenSource sets s.Origins. The caller must set s.Table before the first request to Travelpayouts, because s.Table
// counts the calls.
func OpenSource(ctx context.Context, name, price string, s *Options, messages io.Writer) (source upstream.Source,
	partly bool, err error) {
	var cities config.Cities
	if err := config.Load(&cities); err != nil {
		return nil, false, fmt.Errorf("-upstream %s: %w", name, err)
	}
	for _, o := range cities.Origins {
		s.Origins = append(s.Origins, fare.City(o))
	}
	kind, file, _ := strings.Cut(name, ":")
	switch {
	case price != "" && kind != "csv":
		return nil, false, fmt.Errorf("-price %s: only a panel has columns; give it with -upstream csv:FILE", price)
	case name == "sample":
		return sample.New(), false, nil
	case kind == "csv" && file != "":
		panel, partly, err := OpenPanel(file, price, messages)
		if err != nil {
			return nil, false, err
		}
		return panel, partly, nil
	case name == realSource:
		if os.Getenv("TRAVELPAYOUTS_TOKEN") == "" {
			return nil, false, fmt.Errorf("-upstream travelpayouts: set TRAVELPAYOUTS_TOKEN (a free partner account gives one)")
		}
		source, err := openReal(ctx, s)
		return source, false, err
	}
	return nil, false, fmt.Errorf("-upstream %q: want sample, csv:FILE or travelpayouts", name)
}

const realSource = "travelpayouts"

func openReal(ctx context.Context, s *Options) (upstream.Source, error) {
	var settings config.Upstream
	var shown config.Publication
	if err := config.Load(&settings, &shown); err != nil {
		return nil, fmt.Errorf("-upstream travelpayouts: %w", err)
	}
	s.AllFares = shown.All()
	today := ecb.Current(ctx, &ecb.Feed{}, ecb.Table(), s.Log)
	return configured.Source(settings, configured.Part{
		Now: s.Now, Rates: func(fare.Day) fare.Rates { return today },
		Spend: func(ctx context.Context, departures bool) error {
			return refresh.Budget{Calls: store.Calls{Table: s.Table}, Source: realSource, PerDay: settings.CallsADay,
				Now: s.Now}.Spend(ctx, departures)
		},
	})
}

func RealSource() (upstream.Checked, error) {
	var settings config.Upstream
	if err := config.Load(&settings); err != nil {
		return nil, fmt.Errorf("-upstream travelpayouts: %w", err)
	}
	return configured.Source(settings, configured.Part{Now: time.Now, Rates: ecb.Table().RatesOn})
}

// The parameter price names the column with the fare; if price is empty, the column is "price".
// partly reports whether some rows were unreadable.
func OpenPanel(file, price string, messages io.Writer) (panel *csvfile.Panel, partly bool, err error) {
	panel, err = csvfile.Open(file, upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().RatesOn}, price)
	if err != nil {
		return nil, false, err
	}
	r := panel.Report()
	r.Print(messages)
	if err := r.Usable(); err != nil {
		return nil, false, fmt.Errorf("read fares of %s: %w", file, err)
	}
	return panel, r.Partly(), nil
}
