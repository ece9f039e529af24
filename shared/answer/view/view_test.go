package view

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/trends"
)

var (
	now   = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	today = fare.DayOf(now)
	found = now.Add(-2 * time.Hour)
)

type fares struct {
	answer.Fares
	perEuro    map[string]float64
	ratesAsked int
	requested  []fare.City
	until      time.Time
	err        error
}

func (f *fares) Trends(_ context.Context, origin fare.City) (trends.Origin, int64, error) {
	switch origin {
	case "MIL":
		all := trends.Origin{}.Merge([]trends.Entry{{
			Destination: "LON", AsOf: today, Newest: found.Unix(), Observations: 900, Sample: 60, Median: 5000, Minimum: 2000, Previous: 4000,
			Live: []trends.Live{{
				Depart: today + 1, Price: 1500, Found: found.Unix(), Level: verdict.Good, Certainty: verdict.HighReliability,
				Percentile: 30,
			}}, Months: []verdict.Month{{Month: 3, Median: 4500, Minimum: 2000, Sample: 40}},
		}})
		return all, 1, nil
	case "PAR":
		return trends.Origin{}, 1, errors.New("no trends")
	}
	return trends.Origin{}, 0, store.ErrNotFound
}

func (f *fares) Summary(context.Context, fare.Series) (verdict.RouteSummary, error) {
	s := verdict.RouteSummary{AsOf: today, View: verdict.View{
		Lows: []verdict.Low{
			{Day: today - 9, Price: 2000}, {Day: today - 2, Price: 3000}, {Day: today - 1, Price: 4000},
		},
	}}
	return s, nil
}

func (f *fares) Rates(context.Context) (fare.Rates, error) {
	f.ratesAsked++
	if f.perEuro == nil {
		return fare.Rates{}, store.ErrNotFound
	}
	return fare.Rates{Date: today - 1, PerEuro: f.perEuro}, nil
}

func (f *fares) RequestOrigin(_ context.Context, origin fare.City, until time.Time) error {
	f.requested, f.until = append(f.requested, origin), until
	return f.err
}

func readerOf(f *fares, now func() time.Time, all bool) *Reader {
	return &Reader{Reader: answer.NewReader(f, now, slog.New(slog.DiscardHandler)), AllFares: all}
}

func series(origin, destination fare.City) fare.Series {
	return fare.Series{Route: fare.Route{Origin: origin, Destination: destination}}
}

func at(t *time.Time) func() time.Time { return func() time.Time { return *t } }

func TestRead(t *testing.T) {
	clock := now
	r := readerOf(&fares{perEuro: map[string]float64{"USD": 1.25}}, at(&clock), true)
	whole, err := r.Read(t.Context(), series("MIL", ""), "USD")
	storetest.Must(t, err)
	number := func(n int64) *int64 { return &n }
	percent, thirty := -62.5, 30
	want := Trends{
		Origin: "MIL", City: "Milan", Currency: "USD", Rate: 1.25, RateDate: "2026-03-03", UpdatedAt: &found, Popularity: "observations",
		Destinations: []Destination{{
			Destination: "LON", City: "London", Cheapest: &Fare{
				1875, "2026-03-05", found,
			}, Level: string(verdict.Good), Certainty: string(verdict.HighReliability), Percentile: &thirty, MedianCents: number(6250), MinimumCents: number(2500),
			Sample: 60, Observations: 900, ChangeCents: number(-3125), ChangePercent: &percent, Months: []Month{{3, 5625, 2500, 40}},
		}},
	}
	if diff := cmp.Diff(want, whole); diff != "" {
		t.Error(diff)
	}
	one, err := r.Read(t.Context(), series("MIL", "LON"), "USD")
	want.WeeklyLows = []WeeklyLow{{"2026-02-23", 2500}, {"2026-03-02", 3750}}
	if diff := cmp.Diff(want, one); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, err := r.Read(t.Context(), series("PAR", ""), "USD"); err == nil {
		t.Error("what cannot be read is no answer")
	}
}

func (f *fares) Covered(context.Context, fare.City, int) ([]fare.City, error) {
	return []fare.City{"MIL"}, nil
}

func TestNotCovered(t *testing.T) {
	clock := now
	f := &fares{}
	r := readerOf(f, at(&clock), false)
	for asked, want := range map[fare.Route]fare.Route{
		{Origin: "ROM"}: {Origin: "ROM"}, {Origin: "ROM", Destination: "LON"}: {Origin: "ROM"},
		{Origin: "MIL", Destination: "TYO"}: {Origin: "MIL", Destination: "TYO"},
	} {
		_, err := r.Read(t.Context(), series(asked.Origin, asked.Destination), "EUR")
		why := answer.NotCovered
		if want.Destination == "" {
			why = answer.NoRoutes
		}
		if not := answer.Why(err); not == nil || not.Reason != why || not.Series.Route != want {
			t.Errorf("%s: %v", asked, err)
		}
	}
	slices.Sort(f.requested)
	if diff := cmp.Diff([]fare.City{"MIL", "ROM", "ROM"}, f.requested); diff != "" ||
		!f.until.After(now.Add(15*24*time.Hour)) {
		t.Errorf("requested until %v: %s", f.until, diff)
	}
	f.err = store.ErrUnavailable
	if _, err := r.Read(t.Context(), series("ROM", ""), "EUR"); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a request that was not stored is reported as stored: %v", err)
	}
}

func TestRatesAreCachedForAnHour(t *testing.T) {
	clock := now
	f := &fares{}
	r := readerOf(f, at(&clock), false)
	for _, c := range []struct {
		name  string
		after time.Duration
		rates map[string]float64
		asked int
		usd   float64
	}{
		{"before the first refresh there is only the euro", 0, nil, 1, 0},
		{"which is not cached", time.Minute, map[string]float64{"USD": 1.25}, 2, 1.25},
		{"rates are", 59 * time.Minute, map[string]float64{"USD": 1.5}, 2, 1.25},
		{"for an hour", time.Minute, map[string]float64{"USD": 1.5}, 3, 1.5},
		{"a clock that was set back does not cache them for ever", -3 * time.Hour, map[string]float64{"USD": 2}, 4, 2},
	} {
		clock = clock.Add(c.after)
		f.perEuro = c.rates
		rates, err := r.Rates(t.Context())
		usd, _ := rates.Rate("USD")
		euro, ok := rates.Rate("EUR")
		if err != nil || usd != c.usd || euro != 1 || !ok || f.ratesAsked != c.asked {
			t.Errorf("%s: %v, asked %d times, %v", c.name, rates, f.ratesAsked, err)
		}
	}
}

func TestLevel(t *testing.T) {
	for _, c := range []struct {
		name string
		live trends.Live
		want Destination
	}{
		{
			"fresh", trends.Live{Found: now.Unix(), Level: verdict.Great, Certainty: verdict.HighReliability},
			Destination{Level: string(verdict.Great), Certainty: string(verdict.HighReliability), Percentile: new(int)},
		},
		{
			"stale", trends.Live{Found: now.Unix() - 80*3600, Level: verdict.Expensive, Certainty: verdict.HighReliability},
			Destination{Level: string(verdict.Expensive), Certainty: string(verdict.MediumReliability), Percentile: new(int)},
		},
		{
			"too little data", trends.Live{Found: now.Unix(), Level: verdict.Unjudged},
			Destination{Level: string(verdict.Unjudged)},
		},
		{"of before it was kept", trends.Live{Found: now.Unix()}, Destination{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.live.Depart, c.live.Price = today+1, 1500
			v := view{rates: fare.Rates{}, currency: "EUR", now: now, today: today}
			got := v.destination(trends.Entry{Destination: "LON", AsOf: today, Live: []trends.Live{c.live}})
			if diff := cmp.Diff(
				[]any{
					c.want.Level, c.want.Certainty, c.want.Percentile,
				}, []any{got.Level, got.Certainty, got.Percentile},
			); diff != "" {
				t.Error(diff)
			}
		})
	}
}
