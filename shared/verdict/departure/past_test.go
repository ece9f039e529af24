package departure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"verdetto/shared/fare"
)

func TestPast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	asked := 0
	for range 300 {
		var past Past
		type quoted struct {
			day   fare.Day
			price fare.Cents
		}
		var all []quoted
		day, price := fare.Day(100), fare.Cents(5000)
		for range 1 + rng.IntN(80) {
			day += fare.Day(1 + rng.IntN(4))
			if rng.IntN(12) == 0 {
				day += fare.Day(rng.IntN(70))
			}
			switch rng.IntN(4) {
			case 0:
				price = fare.Cents(4000 + rng.IntN(2500))
			case 1:
				price += price / 200
			}
			past.See(day, price)
			all = append(all, quoted{day, price})
			for range 3 {
				today, mine := day+fare.Day(1+rng.IntN(70)), fare.Cents(4000+rng.IntN(2500))
				var near []quoted
				for _, q := range all {
					if q.day >= today-lowDays {
						near = append(near, q)
					}
				}
				moves, low, ok := past.movesAndLow(today, mine)
				lowDay, lowest, seen := past.lowest(today)
				if ok != (len(near) > 0) {
					t.Fatalf("known %v on day %d of %v", ok, today, all)
				}
				if !ok {
					continue
				}
				asked++
				wantLow, wantLowDay, wantMoves := near[0].price, near[0].day, 0
				chain := append(slices.Clone(near), quoted{today, mine})
				for i := range near {
					if near[i].price <= wantLow {
						wantLow, wantLowDay = near[i].price, near[i].day
					}
					if isMove(chain[i].price, chain[i+1].price) && chain[i+1].day >= today-moveDays {
						wantMoves++
					}
				}
				if low != wantLow || min(moves, maxMoves) != min(wantMoves, maxMoves) {
					t.Fatalf("day %d, price %d: %d moves and a minimum of %d, want %d and %d, of %v", today,
						mine, moves, low, wantMoves, wantLow, all)
				}
				if !seen || lowest != wantLow || lowDay != wantLowDay {
					t.Fatalf("day %d: lowest %d on day %d (%v), want %d on day %d, of %v", today, lowest, lowDay, seen,
						wantLow, wantLowDay, all)
				}
			}
		}
	}
	if asked < 10_000 {
		t.Fatalf("only %d questions", asked)
	}
}
