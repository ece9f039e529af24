package scorecard

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// dayOf is a source that has the fares of one day only.
type dayOf struct {
	upstream.Source
	day fare.Day
}

func (d dayOf) Fares(ctx context.Context, origin fare.City, _, _ time.Time) (upstream.Answer, error) {
	return d.Source.Fares(ctx, origin, d.day.Time().Add(-time.Second), d.day.Time().Add(24*time.Hour-time.Second))
}

// TestEvidenceFreshService: a new service refreshes for the first time, with recorded Travelpayouts
// fares of one day. It then judges at least 90 % of the departures of routes with 10 departures on
// sale.
func TestEvidenceFreshService(t *testing.T) {
	source := recorded(t, "travelpayouts_daily_2025_2026")
	panel := panelOf(t, source)
	first, last := seen(panel)
	for _, day := range []fare.Day{first, first + 90, first + 200, first + 300, last} {
		answered, asked := 0, 0
		now := day.Time().Add(12 * time.Hour)
		table, err := boltstore.Open(filepath.Join(t.TempDir(), "store.db"), func() time.Time { return now },
			boltstore.Scratch)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		fares, oneDay := store.Fares{Table: table}, Panel{}
		for of, observations := range panel {
			for _, o := range observations {
				if o.FoundDay() == day {
					oneDay[of] = append(oneDay[of], o)
				}
			}
		}
		r := refresh.Refresher{Source: dayOf{source, day}, Fares: fares, Now: func() time.Time { return now },
			Rates: ecb.Table().RatesOn(last), Workers: 2}
		if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
			t.Fatalf("%s: %+v %v", day, report, err)
		}
		for of := range oneDay {
			data, err := fares.Sheet(t.Context(), of, false)
			if err != nil {
				t.Fatal(err)
			}
			state, err := departure.DecodeState(data)
			if err != nil {
				t.Fatal(err)
			}
			if len(state.Live) < 10 {
				continue
			}
			for _, l := range state.Live {
				a, ok, err := verdict.JudgeDeparture(state, departure.Start(day), verdict.When{Date: l.Depart}, now)
				asked++
				if err == nil && ok && a.Verdetto.Percentile != nil {
					answered++
				}
			}
		}
		t.Logf("%s: %d of %d departures are answered", day, answered, asked)
		if asked < 50 || float64(answered) < .9*float64(asked) {
			t.Errorf("%s: %d of %d", day, answered, asked)
		}
	}
}
