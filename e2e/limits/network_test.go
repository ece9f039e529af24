package limits

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/routes"
)

// 1,000 IPv6 addresses in one /48, each in its own /64, make five calls each to four processes in
// 20 minutes. Together they get as many answers as 32 addresses, and a few more: a process learns
// of calls to other processes up to a minute late. Each answered call costs one write; each process
// makes one more write per minute.
func TestAThousandAddressesOfOneNetwork(t *testing.T) {
	t.Parallel()
	const addresses, calls, processes, minutes = 1000, 5000, 4, 20
	clock := storetest.NewClock()
	table := &fixture.Recorder{Table: fixture.Bolt(t, clock.Now)}
	var instances []http.Handler
	for range processes {
		instances = append(instances, fixture.Instance(t, table, sample.New(), clock.Now))
	}
	ask := func(n int, from string) int {
		r := httptest.NewRequest("GET", fixture.Question, nil)
		r.RemoteAddr = from
		w := httptest.NewRecorder()
		instances[n%processes].ServeHTTP(w, r)
		return w.Code
	}
	answered := 0
	for n := range calls {
		if n%25 == 0 {
			clock.Add(minutes * time.Minute / (calls / 25))
		}
		switch code := ask(n, fmt.Sprintf("[2001:db8:1:%x::1]:443", n%addresses)); code {
		case http.StatusNotFound: // answered, because this route does not exist
			answered++
		case http.StatusTooManyRequests:
		default:
			t.Fatal(code)
		}
	}
	counted := 0
	for _, call := range table.Calls() {
		if call == "Take" {
			counted++
		}
	}
	most := 30 * routes.PerNetwork
	t.Logf("%d of %d calls were answered, %d writes; the ceiling is %d", answered, calls, counted, most)
	if late := calls / minutes; answered < most || answered > most+late {
		t.Errorf("%d calls were answered, want %d, and at most %d more", answered, most, late)
	}
	if counted < answered || counted > answered+processes*minutes {
		t.Errorf("%d calls were answered and %d writes made", answered, counted)
	}
	if code := ask(0, "[2001:db8:2::1]:443"); code != http.StatusNotFound {
		t.Errorf("another network: %d", code)
	}
	for _, partition := range table.Wrote() {
		if strings.Contains(partition, "2001") {
			t.Errorf("an address is in the clear: %s", partition)
		}
	}
}
