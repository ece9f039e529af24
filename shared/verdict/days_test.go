package verdict

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

func TestDaysAreAsBuilt(t *testing.T) {
	const days = HistoryDays + 60
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(5, seed))
		var all []fare.Observation
		for range 2000 {
			found := fare.Day(16000 + rng.IntN(days))
			if found%9 < 3 && seed%2 == 0 {
				continue
			}
			o := fare.Observation{
				Found:  found.Time().Unix() + int64(rng.IntN(24))*3600,
				Depart: found + fare.Day(rng.IntN(12*(1+rng.IntN(18)))),
				Price:  fare.Cents(100 * (30 + rng.IntN(40))), Stops: fare.Stops(rng.IntN(3)),
			}
			all = append(all, o)
		}
		slices.SortFunc(all, fare.Observation.Compare)
		all = slices.Compact(all)
		step := []fare.Day{7, 1, 3}[seed]
		carried := NewDays(all, Options{})
		var built RouteSummary
		for day := all[0].FoundDay(); day < all[len(all)-1].FoundDay()+20; day += step {
			n, _ := slices.BinarySearchFunc(all, day+1, func(o fare.Observation,
				d fare.Day) int {
				return int(o.FoundDay() - d)
			})
			built = Build(all[:n], built, day, Options{})
			want := built
			want.Months, want.NonStop = nil, nil
			if w := want.Window; w != nil {
				want.Window = &Window{From: w.From, To: w.To}
			}
			if diff := cmp.Diff(want, carried.Summary(day)); diff != "" {
				t.Fatalf("history %d on %s: %s", seed, day, diff)
			}
		}
		if len(built.Lows) < 50 || built.Observations > 1950 || built.Window == nil {
			t.Errorf("history %d: %d lows, %d observations: nothing was compared", seed, len(built.Lows),
				built.Observations)
		}
	}
}
