package alerts_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
)

func TestManyConfirmAtOnce(t *testing.T) {
	t.Parallel()
	table, clock := fixture.OpenStore(t)
	s := fixture.Open(t, table, clock)
	ada := fixture.Subscriber("ada@example.com")
	pending := func(destination fare.City) (link string) {
		t.Helper()
		id := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%16s", destination))
		alert := store.Alert{Subscriber: ada, Route: fare.Route{Origin: "MIL", Destination: destination}, Email: "ada@example.com",
			Language: "it"}
		if err := s.Alerts.Alerts.AddPending(t.Context(), id, alert, clock.Now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		return "/v1/alerts/confirm?id=" + id
	}
	link := pending("BUH")
	var won atomic.Int64
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			switch a := s.Form(link, ""); a.Status {
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
			links = append(links, pending(city))
		}
	}
	var full atomic.Int64
	for _, link := range links {
		wg.Go(func() {
			switch a := s.Form(link, ""); a.Status {
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
	all, err := s.Alerts.Alerts.BySubscriber(t.Context(), ada)
	if err != nil || len(all) != store.MaxAlerts || full.Load() != 5 {
		t.Errorf("%d alerts, %d refused, %v", len(all), full.Load(), err)
	}
}
