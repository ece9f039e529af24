package verdict

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"verdetto/e2e/fixture"
)

const mostGrowth = 1.5

// The services are called in turn, so that other load on the machine affects all of them.
func TestProveVerdictTimeDoesNotGrow(t *testing.T) {
	asks := askers(t)
	for round := range 3 {
		spent := make([][]time.Duration, len(sizes))
		for turn := range 300 {
			for k := range asks {
				i := (turn + k) % len(asks)
				begun := time.Now()
				asks[i]()
				spent[i] = append(spent[i], time.Since(begun))
			}
		}
		medians := make([]time.Duration, len(sizes))
		for i, s := range spent {
			slices.Sort(s)
			medians[i] = s[len(s)/2]
		}
		growth := float64(slices.Max(medians)) / float64(slices.Min(medians))
		t.Logf("round %d: medians with histories of %v observations are %v, at most %.2f times the least",
			round, sizes, medians, growth)
		if growth <= mostGrowth {
			return
		}
	}
	t.Errorf("the slowest median is over %.1f times the fastest in each of three rounds", mostGrowth)
}

func BenchmarkVerdict(b *testing.B) {
	asks := askers(b)
	for i, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				asks[i]()
			}
		})
	}
}

func askers(t testing.TB) []func() {
	t.Helper()
	asks := make([]func(), len(sizes))
	for i, n := range sizes {
		server := httptest.NewServer(serving(t, fixture.Unlimited{Table: fixture.Observed(t, n, fixture.Today)}))
		t.Cleanup(server.Close)
		var body bytes.Buffer
		asks[i] = func() {
			response, err := server.Client().Get(server.URL + fixture.Question)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body.Reset()
			if _, err := io.Copy(&body, response.Body); err != nil || response.StatusCode != http.StatusOK {
				t.Fatalf("%d %s %v", response.StatusCode, &body, err)
			}
		}
	}
	return asks
}
