package pro_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
)

// TestRecoveryTellsNothing asks for 200 addresses that have a plan and 200 that
// have none, by turns: status, headers and body are the same, and a rank test
// (Mann and Whitney's U) cannot tell their times apart. By chance alone it would
// once in a thousand runs.
func TestRecoveryTellsNothing(t *testing.T) {
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	const each = 200
	for n := range each {
		if a := s.Verify(fmt.Sprintf("known%d@example.com", n), s.Send(fixture.Price, "")); a.Status != 200 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	clock.Add(time.Hour)
	var known, unknown []float64
	var first fixture.Reply
	for n := range 2 * each {
		email, times := fmt.Sprintf("known%d@example.com", n/2), &known
		if n%2 == 1 {
			email, times = fmt.Sprintf("other%d@example.com", n/2), &unknown
		}
		begun := time.Now()
		a := s.Recover(email)
		*times = append(*times, float64(time.Since(begun)))
		if n == 0 {
			first = a
		}
		a.Header.Del("Date")
		if a.Status != 202 || a.Body != first.Body || fmt.Sprint(a.Header) != fmt.Sprint(first.Header) {
			t.Fatalf("%s: %d %v %s", email, a.Status, a.Header, a.Body)
		}
	}
	p := fixture.MannWhitney(known, unknown)
	t.Logf("p = %.3f", p)
	if p < 0.001 {
		t.Errorf("times tell who has a plan: p = %.5f", p)
	}
	for i := range unknown {
		unknown[i] *= 1.3
	}
	if p := fixture.MannWhitney(known, unknown); p > 0.001 {
		t.Errorf("the test would not notice 30 %% more time: p = %.5f", p)
	}
}

// TestRecordedStripeObjects posts every recorded object, signed: events are taken, anything else is refused.
func TestRecordedStripeObjects(t *testing.T) {
	data := os.Getenv("VERDETTO_DATA")
	if data == "" {
		t.Skip("needs VERDETTO_DATA, a folder of recorded objects")
	}
	files, err := filepath.Glob(filepath.Join(data, "stripe", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	for _, file := range files {
		payload, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var what struct{ Object json.RawMessage }
		if err := json.Unmarshal(payload, &what); err != nil {
			t.Fatal(err)
		}
		want, kind := 400, "no event"
		switch {
		case string(what.Object) == `"event"`:
			want, kind = 200, "event"
		case bytes.HasPrefix(what.Object, []byte("{")): // what an event is about, without the event around it
			_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "_")
			if strings.HasPrefix(name, "subscription.") {
				name = "customer." + name
			}
			want, kind = 200, "content of "+name
			payload = fmt.Appendf(nil, `{"id":"evt_1","object":"event","type":%q,"created":%d,"data":%s}`, name, clock.Now().Unix(), payload)
		}
		a := s.Deliver(payload)
		t.Logf("%-60s %-45s %d", filepath.Base(file), kind, a.Status)
		if a.Status != want {
			t.Errorf("%s: %d %s, want %d", filepath.Base(file), a.Status, a.Body, want)
		}
	}
}
