package scorecard

import (
	"bytes"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// TestSpoiledRules: a rule that is wrong on purpose, with swapped levels or half the chances of a
// fall, is detected by the score. The weeks are outside the band of expected falls for long enough
// to alert the operator. With the real rule they are not.
func TestSpoiledRules(t *testing.T) {
	source, err := csvfile.Read(bytes.NewReader([]byte(many(150))), comparable(), "")
	if err != nil {
		t.Fatal(err)
	}
	panel := panelOf(t, source)
	for _, c := range []struct {
		name    string
		spoil   func(*score.DepartureAnswer)
		alarmed bool
	}{
		{"as it is", func(*score.DepartureAnswer) {}, false},
		{"levels swapped", func(s *score.DepartureAnswer) { s.Percentile = 100 - s.Percentile }, true},
		{"chances halved", func(s *score.DepartureAnswer) {
			for i := range s.Stated {
				if s.Stated[i] != score.NotStated {
					s.Stated[i] /= 2
				}
			}
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			most := 0
			r, err := Run(t.Context(), panel, Options{
				Cycle: 7, Rates: ecb.Table().RatesOn(17000),
				Judged: func(r *score.Round, _ *departure.Experience) {
					for i := range r.Departs {
						c.spoil(&r.Departs[i])
					}
				},
				Learned: func(_ fare.Day, e *departure.Experience) {
					if e != nil {
						most = max(most, e.WeeksOut)
					}
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			var n, said, fell int64
			for _, b := range r.Sum.Horizons[0].Bands {
				n, said, fell = n+b.N, said+b.Stated, fell+b.Fell
			}
			var byLevel []float64
			for _, spans := range r.Sum.Horizons[0].Levels {
				var all score.Pair
				for _, cell := range spans {
					all.N += cell.N
					all.Fell += cell.Fell
				}
				byLevel = append(byLevel, float64(all.Fell)/float64(max(1, all.N)))
			}
			t.Logf("%d compared in %d weeks; said %.3f, came %.3f; by level %.3f; %d weeks in a row outside of the band", n, len(r.Weeks), float64(said)/float64(100*n), float64(fell)/float64(n), byLevel, most)
			if (most >= score.OutWeeks) != c.alarmed {
				t.Errorf("%d weeks in a row outside of the band", most)
			}
			if swapped := byLevel[0] > byLevel[3]; swapped != (c.name == "levels swapped") {
				t.Errorf("what followed each level: %.3f", byLevel)
			}
		})
	}
}
