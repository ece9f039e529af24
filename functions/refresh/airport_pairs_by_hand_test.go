package refresh_test

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// Linate's wanted median 66 is the city's 44 times 1.5, the usual ratio of Linate's fares to the city's.
func TestAirportsByHand(t *testing.T) {
	w := newDeepWorld(t, open(t), routesFrom("MIL", 8)...) // 8 routes and MIL-LON allow at most 2 airport pairs a day
	w.source.has["MIL"] = departing("MIL-LON", today, 9900, 0)
	ask := func(name, from, to string, price fare.Cents) {
		all := departing("MIL-LON", w.now, price, 0)
		all[0].Flight.From, _ = fare.ParseAirport(from)
		all[0].Flight.To, _ = fare.ParseAirport(to)
		w.source.departures[name] = all
		w.demand(name)
	}
	mustRun(t, w.refresher(w.table))
	for day := range 31 {
		w.now = today.AddDate(0, 0, day)
		malpensa, bergamo := fare.Cents(4400), fare.Cents(6900)
		switch day {
		case 0:
			malpensa, bergamo = 4000, 6000
		case 30:
			malpensa, bergamo = 4900, 5400
		}
		ask("MIL-LON", "MXP", "LHR", malpensa)
		ask("MIL-LON@BGY-STN", "BGY", "STN", bergamo)
		if linate := map[int]fare.Cents{27: 6600, 28: 5280, 30: 9800}[day]; linate > 0 {
			ask("MIL-LON@LIN-LHR", "LIN", "LHR", linate)
		}
		w.day()
		delete(w.source.departures, "MIL-LON@LIN-LHR")
	}
	r := answer.NewUnrecorded(store.Fares{Table: w.table}, w.clock, slog.New(slog.DiscardHandler))
	type found struct {
		Price, Median, Least fare.Cents
		Percentile           int
		Level                verdict.Level
		Reliability          verdict.Reliability
		Airports             string
		Departures, Percent  int
	}
	for _, c := range []struct {
		from, to string
		want     found
	}{
		{"Milano", "Londra", found{4900, 4400, 4000, 100, verdict.Expensive, verdict.MediumReliability, "-", 0, 0}},
		{"Bergamo", "Stansted", found{5400, 6900, 6000, 0, verdict.Great, verdict.MediumReliability, "BGY-STN", 0, 0}},
		{"LIN", "LHR", found{9800, 6600, 6000, 100, verdict.Expensive, verdict.LowReliability, "LIN-LHR", 3, 50}},
	} {
		a, err := r.Answer(t.Context(), answer.Question{From: answer.Name("", c.from), To: answer.Name("", c.to)})
		if err != nil {
			t.Fatal(err)
		}
		v := a.Judgement.Verdict
		got := found{a.Judgement.Fare.Price, v.Median, v.Minimum, v.Percentile, v.Level, v.Reliability,
			a.Judgement.From.String() + "-" + a.Judgement.To.String(), 0, 0}
		if b := a.Judgement.Basis; b != nil {
			got.Departures, got.Percent = b.Departures, b.Percent()
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s to %s (-by hand +answer): %s", c.from, c.to, diff)
		}
	}
}
