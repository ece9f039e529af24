package verdict
import ("testing";"math";"math/rand/v2";"fmt";"slices";"verdetto/shared/fare")
func phi(x float64) float64 { return 0.5*math.Erfc(-x/math.Sqrt2) }
func TestSimX(t *testing.T) {
	for _, steps := range []bool{false, true} {
	for _, rho := range []float64{0, 0.5, 0.8, 0.9, 0.95} {
		for _, n := range []int{8, 20, 50, 120, 300, 800} {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			cov, half, alta, media := 0, 0.0, 0, 0
			const R = 2000
			for range R {
				x := rng.NormFloat64()
				price := func() fare.Cents { v := math.Exp(0.4*x)*5000; if steps { v = math.Round(v/500)*500 }; return fare.Cents(v) }
				s := Sheet{AsOf: day0, Newest: day0.Time().Unix()}
				for i := n; i > 0; i-- {
					s.Lows = append(s.Lows, Low{day0 - fare.Day(i), price()})
					x = rho*x + math.Sqrt(1-rho*rho)*rng.NormFloat64()
				}
				p := price()
				s.Live = []Live{{day0+30, p, 0}}
				slices.SortFunc(s.Lows, func(a, b Low) int { return int(a.Price-b.Price) })
				var truth float64
				if steps { lo, hi := math.Log((float64(p)-250)/5000)/0.4, math.Log((float64(p)+250)/5000)/0.4; truth = 100*(phi(lo)+phi(hi))/2 } else { truth = 100*phi(math.Log(float64(p)/5000)/0.4) }
				iv, _ := IntervalOf(s, day0)
				if iv.Low <= truth && truth <= iv.High { cov++ }
				h := (iv.High-iv.Low)/2; half += h
				if h <= 7 { alta++ } else if h <= 15 { media++ }
			}
			fmt.Printf("steps %v rho %.2f n %d cov %.3f half %.1f alta %.2f media %.2f\n", steps, rho, n, float64(cov)/R, half/R, float64(alta)/R, float64(media)/R)
		}
	}}
}
