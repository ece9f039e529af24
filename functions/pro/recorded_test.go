package pro_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/store/storetest"
)

// TestRecoveryAnswersAlike: an address that has a plan and one that has none are
// answered alike, and the same calls to the store are made for both.
func TestRecoveryAnswersAlike(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := &fixture.Recorder{Table: fixture.Bolt(t, clock.Now)}
	s := fixture.OpenShop(t, table, clock)
	if a := s.Verify("known@example.com", s.Send(fixture.Price, "")); a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	recover := func(email string) (a fixture.Reply, calls []string) {
		before := len(table.Calls())
		a = s.Recover(email)
		a.Header.Del("X-Request-Id") // every call has one of its own
		return a, table.Calls()[before:]
	}
	known, called := recover("known@example.com")
	if known.Status != 202 || len(called) == 0 {
		t.Fatalf("%d %s, after %v", known.Status, known.Body, called)
	}
	unknown, same := recover("unknown@example.com")
	if diff := cmp.Diff(known, unknown); diff != "" {
		t.Errorf("answers: %s", diff)
	}
	if diff := cmp.Diff(called, same); diff != "" {
		t.Errorf("calls to the store: %s", diff)
	}
}

// TestRecordedStripeObjects posts every recorded object, signed: events are taken, anything else is refused.
func TestRecordedStripeObjects(t *testing.T) {
	t.Parallel()
	data := testenv.Data(t)
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
