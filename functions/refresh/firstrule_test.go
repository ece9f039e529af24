package refresh_test

import (
	"compress/gzip"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict/departure"
)

// counted is a source that counts the questions to it.
type counted struct {
	*daily
	questions int
}

func (c *counted) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	c.questions++
	return c.daily.Fares(ctx, origin, since, until)
}

// TestFirstRuleStoreGoesOn opens the store of an earlier version. Commit 256120d9 refreshed
// dailyFares in that store on 20 days, with the first version of the departure rule. The stored
// states still answer. The next refresh rebuilds the states from the stored history, without extra
// calls to the source. The rebuilt states answer like states of the second version.
func TestFirstRuleStoreGoesOn(t *testing.T) {
	zipped, err := os.Open(filepath.Join("testdata", "firstrule.db.gz"))
	storetest.Must(t, err)
	defer zipped.Close()
	unzipped, err := gzip.NewReader(zipped)
	storetest.Must(t, err)
	data, err := io.ReadAll(unzipped)
	storetest.Must(t, err)
	path := filepath.Join(t.TempDir(), "firstrule.db")
	storetest.Must(t, os.WriteFile(path, data, 0o600))
	old, fresh := openDaysAt(t, path), openDays(t)
	fresh.days(t, dailyFares(20), 20)
	series := []string{"MIL-BUH", "MIL-LON", "ROM-PAR", "ROM-PAR#4-7", "TRN-PAR"}
	old.setDay(firstDay + 19)
	for _, of := range series {
		s := old.sheet(t, of, false)
		day, ok := s.Day(pooledOf(t, old).Pooled, firstDay+20)
		if !s.FirstRule || !ok || len(day.Live()) == 0 {
			t.Fatalf("%s: a state of the first rule is %v, with %d live fares", of, s.FirstRule, len(s.Live))
		}
		for _, l := range day.Live() {
			if a, _ := day.Judge(l.Depart, 0); !a.Known || a.OnSale == 0 {
				t.Errorf("%s: %+v", of, a)
			}
		}
	}
	var asked []int
	for _, s := range []*dayStore{old, fresh} {
		source := &counted{daily: dailyFares(21)}
		s.setDay(firstDay + 20)
		s.mustRefresh(t, source)
		asked = append(asked, source.questions)
	}
	if asked[0] != asked[1] {
		t.Errorf("the source was asked %d times, want %d", asked[0], asked[1])
	}
	worst := 0.
	for _, of := range series {
		for _, nonStop := range []bool{false, true} {
			got, want := old.sheet(t, of, nonStop), fresh.sheet(t, of, nonStop)
			if got.FirstRule || got.Route.Count() != want.Route.Count() || len(got.Live) != len(want.Live) {
				t.Errorf("%s: %+v", of, got)
			}
			p := pooledOf(t, fresh).Pooled // the pooled parts differ in what they learned of falls
			for _, l := range want.Live {
				for _, price := range []fare.Cents{l.Price, l.Price * 3 / 4, l.Price * 4 / 3} {
					a, q, _, _ := want.Judge(p, want.AsOf, l.Depart, price)
					b, r, _, _ := got.Judge(p, got.AsOf, l.Depart, price)
					worst = max(worst, math.Abs(a.Percentile-b.Percentile),
						math.Abs(float64(q.Median)/float64(r.Median)-1))
				}
			}
		}
	}
	// Rebuilding uses today's price curve for all days. Daily refreshes used the curve of each day,
	// so small differences are correct.
	if t.Logf("off by %.3f at most", worst); worst > .05 {
		t.Errorf("percentiles or medians are off by %.3f", worst)
	}
	if a, b := pooledOf(t, old), pooledOf(t, fresh); a.Day != b.Day || !a.Pooled.HasOutcomes(departure.Week) {
		t.Errorf("the pooled part is of %s, want %s", a.Day, b.Day)
	}
}
