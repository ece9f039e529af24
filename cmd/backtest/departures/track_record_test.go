package departures

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

func followed(span int, band Waiting) Report {
	var r Report
	for h := range horizons {
		f := Followed{Days: int(horizons[h].Days()), Span: span}
		for i, to := range departure.RecordEdges[1:] {
			b := band
			b.From, b.To = departure.RecordEdges[i], to
			f.Bands = append(f.Bands, b)
		}
		r.Followed = append(r.Followed, f)
	}
	return r
}

func TestRecord(t *testing.T) {
	waiting := Waiting{Count: 600, Fell: .1, Rose: .2, AtOnce: -.02, Once: &stats.Range{Low: -.03, High: -.01},
		Dearer: .3, Random: -.01}
	band := func(change func(*Waiting)) Waiting {
		w := waiting
		change(&w)
		return w
	}
	want := departure.Band{Cases: 600, Fell: .1, Rose: .2, Mean: -.02, Low: -.03, High: -.01, Dearer: .3,
		Random: -.01, Panels: 1}
	for _, c := range []struct {
		name  string
		other Report
		want  departure.Band
	}{
		{"another widens the interval", followed(100,
			band(func(w *Waiting) { w.AtOnce = .04; w.Once = &stats.Range{Low: 0, High: .05} })),
			func() departure.Band { w := want; w.High, w.Panels = .05, 2; return w }()},
		{"another inside it", followed(100, waiting), func() departure.Band { w := want; w.Panels = 2; return w }()},
		{"too few cases", followed(100, band(func(w *Waiting) { w.Count, w.Once = 499, &stats.Range{Low: -1, High: 1} })), want},
		{"no interval", followed(100, band(func(w *Waiting) { w.Once = nil; w.AtOnce = .5 })), want},
		{"fewer days of questions than a week", followed(6,
			band(func(w *Waiting) { w.Once = &stats.Range{Low: -1, High: 1} })), want},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Record([]NamedReport{{"own", followed(100, waiting)}, {"other", c.other}})
			if err != nil {
				t.Fatal(err)
			}
			for _, horizon := range r.Horizons {
				for i, got := range horizon.Bands {
					w := c.want
					w.From, w.To = departure.RecordEdges[i], departure.RecordEdges[i+1]
					if diff := cmp.Diff(w, got); diff != "" {
						t.Errorf("%d days: %s", horizon.Days, diff)
					}
				}
			}
			if len(r.Panels) != 2 || r.Panels[1].Name != "other" || len(r.Panels[1].Horizons) != 2 {
				t.Errorf("%+v", r.Panels)
			}
		})
	}
	few := followed(100, band(func(w *Waiting) { w.Count = 10 }))
	if _, err := Record([]NamedReport{{"own", few}}); err == nil || !strings.Contains(err.Error(), "fewer than 500 cases") {
		t.Errorf("a record of 10 cases: %v", err)
	}
}

func TestWaiting(t *testing.T) {
	var panel strings.Builder
	panel.WriteString(header + "\n")
	line := func(day fare.Day, price string) {
		panel.WriteString("AAA,BBB," + day.String() + "," + fare.Day(20019).String() + "," + price + ",EUR\n")
	}
	for i := range fare.Day(9) { // enough fares for a verdict
		panel.WriteString("AAA,BBB," + fare.Day(20000+i).String() + "," + fare.Day(20200).String() + ",100,EUR\n")
	}
	line(20010, "100")
	line(20013, "90")
	line(20017, "120")
	panel.WriteString("CCC,DDD," + fare.Day(20030).String() + "," + fare.Day(20050).String() + ",1,EUR\n") // so that the panel covers the horizon
	trips := panelOf(t, panel.String())
	m := newReporter(ask(trips), stats.Days{Cycle: 1, From: 20010})
	m.sample = newSample(trips, 20010, 20017)
	got, ok := m.measureWaits(departure.Week, 0, 1)
	// The fares are 100, 90 and 120, with a mean of 103.33. The row with 90 is not measured: the
	// departure leaves in 6 days, and the wait is 7 days.
	want := Waiting{From: 0, To: 1, Count: 1, Fell: 1, Rose: 1, AtOnce: .2, Median: .2, Dearer: 1,
		Random: 120/(310./3) - 1}
	close := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 })
	if diff := cmp.Diff(want, got, close); !ok || diff != "" {
		t.Error(diff)
	}
	if _, ok := m.measureWaits(departure.Fortnight, 0, 1); ok {
		t.Error("waits of a fortnight are measured")
	}
}
