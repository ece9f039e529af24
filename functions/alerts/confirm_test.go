package alerts_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
)

// Each link works once, and a mailbox never has more than 20 alerts.
func TestManyConfirmAtOnce(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	p := fixture.OpenSubscriptions(t, table, clock)
	link := p.RequestAlert("MIL-BUH", "ada@example.com", "")
	var won atomic.Int64
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			switch a := p.Form(link, ""); a.Status {
			case 200:
				won.Add(1)
			case 410:
			default:
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("one link confirmed %d times", won.Load())
	}

	var links []string
	for city := range places.Cities() {
		if city != "MIL" && city != "BUH" && len(links) < 24 {
			links = append(links, p.RequestAlert(fmt.Sprint("MIL-", city), "ada@example.com", ""))
			clock.Add(time.Hour)
		}
	}
	var full atomic.Int64
	for _, link := range links {
		wg.Go(func() {
			switch a := p.Form(link, ""); a.Status {
			case 200:
			case 409:
				full.Add(1)
				if !strings.Contains(a.Page(), "Hai già 20 avvisi") || !strings.Contains(a.Body, `href="/v1/alerts/manage?t=`) {
					t.Errorf("%s", a.Body)
				}
			default:
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if got := len(p.Thresholds("ada@example.com")); got != store.MaxAlerts || full.Load() != 5 {
		t.Errorf("%d alerts, %d refused", got, full.Load())
	}
}
