package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestAUC(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 50 {
		var c Cases
		cell := make([]int32, 60)
		weight := []float64{0, 1, 3}
		for i := range cell {
			cell[i] = int32(rng.IntN(3))
			c.Add(i, 0, float64(rng.IntN(8)), rng.IntN(3) == 0)
		}
		for _, weights := range [][]float64{nil, weight} {
			above, pairs := 0., 0.
			for i := range cell {
				for j := range cell {
					if !c.Fell[i] || c.Fell[j] {
						continue
					}
					w := 1.
					if weights != nil {
						w = weights[cell[i]] * weights[cell[j]]
					}
					pairs += w
					if c.Score[i] > c.Score[j] {
						above += w
					} else if c.Score[i] == c.Score[j] {
						above += w / 2
					}
				}
			}
			if got, ok := Rank(c.Score, &c, cell).AUC(weights); !ok || math.Abs(got-above/pairs) > 1e-12 {
				t.Fatalf("%v, %v; want %v", got, ok, above/pairs)
			}
		}
	}
}

func TestSkillAndReliability(t *testing.T) {
	var c Cases
	for i, fell := range []bool{false, false, false, true} {
		c.Add(i, .15, 0, fell)
		c.Add(i, .85, 0, !fell)
	}
	// The squared errors are .15² six times and .85² twice. Always stating the share of falls, one
	// half, has an error of .25.
	if got, want := c.BrierSkill(), 1-(6*.0225+2*.7225)/8/.25; math.Abs(got-want) > 1e-12 {
		t.Errorf("skill %v, want %v", got, want)
	}
	bins, off := c.Reliability()
	if len(bins) != 2 || bins[0].From != .1 || bins[1].From != .8 || math.Abs(bins[0].Fell-.25) > 1e-12 ||
		math.Abs(off-.1) > 1e-12 {
		t.Errorf("%+v, off by %v", bins, off)
	}
}
