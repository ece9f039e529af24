package refresh_test

import (
	"log/slog"
	"testing"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// TestAirportsByHand compares the answers for a city and for two pairs of airports with a hand
// calculation. On 10 days, the source has one departure that leaves 30 days later:
//
//	day                       0    1    2    3    4    5    6    7    8    9
//	Malpensa–Heathrow      4000 4100 4200 4300 4400 4500 4600 4700 4800 4900
//	Bergamo–Stansted       6000 6200 6400 6600 6800 7000 7200 7400 7600 5400
//	Linate–Heathrow           -    -    -    -    -    -    - 7050 5760 9800
//
// The city's daily lows are those of Malpensa: their median is (4400+4500)/2 = 4450, and today's
// 4900 is the highest. Bergamo's median is (6600+6800)/2 = 6700, and today's 5400 is the lowest of
// its 10 days. Linate has 3 days, fewer than 8. It costs 7050/4700 = 1.5, 5760/4800 = 1.2 and
// 9800/4900 = 2 times the cheapest: usually 1.5 times. So its fare is compared with the city's lows
// times 1.5, of which the median is 6675 and the highest 7350.
func TestAirportsByHand(t *testing.T) {
	w := newDeepWorld(t, open(t))
	w.source.has[`MIL`] = departing("MIL-LON", today.AddDate(0, 0, -1), 3900, 0)
	malpensa := []fare.Cents{4000, 4100, 4200, 4300, 4400, 4500, 4600, 4700, 4800, 4900}
	bergamo := []fare.Cents{6000, 6200, 6400, 6600, 6800, 7000, 7200, 7400, 7600, 5400}
	linate := []fare.Cents{7: 7050, 8: 5760, 9: 9800}
	ask := func(name string, from, to string, price fare.Cents) {
		all := departing("MIL-LON", w.now, price, 0)
		all[0].Flight.From, _ = fare.ParseAirport(from)
		all[0].Flight.To, _ = fare.ParseAirport(to)
		w.source.departures[name] = all
	}
	mustRun(t, w.refresher(w.table))
	for day := range malpensa {
		w.now = today.AddDate(0, 0, day)
		ask("MIL-LON", "MXP", "LHR", malpensa[day])
		ask("MIL-LON@BGY-STN", "BGY", "STN", bergamo[day])
		w.demand("MIL-LON", "MIL-LON@BGY-STN")
		if day >= 7 {
			ask("MIL-LON@LIN-LHR", "LIN", "LHR", linate[day])
			w.demand("MIL-LON@LIN-LHR")
		}
		w.day()
	}
	r := answer.NewUnrecorded(store.Fares{Table: w.table}, w.clock, slog.New(slog.DiscardHandler))
	for _, c := range []struct {
		from, to             string
		price, median, least fare.Cents
		level, reliability   string
		tratta               *verdict.Tratta
	}{
		{"Milano", "Londra", 4900, 4450, 4000, verdict.Caro, verdict.Bassa, nil},
		{"Bergamo", "Stansted", 5400, 6700, 5400, verdict.Ottimo, verdict.Bassa,
			&verdict.Tratta{Origine: "BGY", Destinazione: "STN", Confronto: verdict.DegliAeroporti}},
		{"LIN", "LHR", 9800, 6675, 6000, verdict.Caro, verdict.Bassa,
			&verdict.Tratta{Origine: "LIN", Destinazione: "LHR", Confronto: verdict.DelleCitta,
				ScartoPercento: new(50), Partenze: new(3)}},
	} {
		a, err := r.Answer(t.Context(), answer.Question{From: answer.Named{Name: c.from}, To: answer.Named{Name: c.to}})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v %+v %+v", a.Analysis.Verdetto, a.Analysis.Prezzo, a.Analysis.Tratta)
		if v := a.Analysis.Verdetto; v.MedianaCent != nil { t.Log(*v.MedianaCent, *v.MinimoCent, *v.Percentile, v.Campione, v.Livello, v.Affidabilita)}
	}
}
