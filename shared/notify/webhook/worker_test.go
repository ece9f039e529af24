package webhook_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"verdetto/e2e/fixture"
	"verdetto/shared/notify"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

func TestNothingBeforeTheTest(t *testing.T) {
	w := fresh(t)
	a := w.alert("ada", "BUH", url)
	w.answer = status(500)
	if err := w.Deliveries.Enqueue(t.Context(), webhook.Test(a, "x", w.clock.Now())); err != nil {
		t.Fatal(err)
	}
	w.deliver(a, "m1")
	w.work()
	if got := w.requests(); len(got) == 0 ||
		slices.ContainsFunc(got, func(s string) bool { return !strings.HasPrefix(s, "test ") }) {
		t.Errorf("%q", got)
	}
	w.answer = nil
	w.clock.Add(time.Minute)
	w.work()
	if diff := cmp.Diff([]string{"fare m1", "test test-m1", "test test-x"}, sorted(w.requests())); diff != "" {
		t.Error(diff)
	}
	w.deliver(a, "m2")
	w.work()
	if diff := cmp.Diff([]string{"fare m2"}, w.requests()); diff != "" {
		t.Error(diff)
	}
}

func sorted(s []string) []string { slices.Sort(s); return s }

func TestAgainAndAgain(t *testing.T) {
	w := fresh(t)
	a := w.verified("ada", "BUH", url)
	w.answer = status(500)
	w.deliver(a, "m1")
	from := w.clock.Now()
	var at []time.Duration
	for range 24*60*12 + 60 {
		if _, err := w.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, r := range w.requests() {
			if r != "fare m1" {
				t.Fatal(r)
			}
			at = append(at, w.clock.Now().Sub(from))
		}
		w.clock.Add(5 * time.Second)
	}
	want := []time.Duration{0, 5 * time.Second, 65 * time.Second, 365 * time.Second}
	for _, wait := range []time.Duration{30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour} {
		want = append(want, want[len(want)-1]+wait)
	}
	if diff := cmp.Diff(append(want, 24*time.Hour), at); diff != "" {
		t.Error(diff)
	}
	if d := w.one(a, "m1"); d.Delivered || d.Ended.IsZero() || d.Status != 500 || d.Tries != len(at) {
		t.Errorf("%+v", d)
	}
	if !w.paused(a) {
		t.Error("the alert goes on")
	}
	if diff := cmp.Diff([]string{"webhook dead ada " + url}, w.jobs()); diff != "" {
		t.Error(diff)
	}
}

func TestAnswers(t *testing.T) {
	const soon = 5 * time.Second
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		next   time.Duration // -1: delivered, -2: given up
	}{
		{"200", status(200), -1},
		{"204", status(204), -1},
		{"299", status(299), -1},
		{"301", status(301, "Location", "https://other.example.com/"), soon},
		{"307", status(307, "Location", "http://169.254.169.254/"), soon},
		{"400", status(400), soon},
		{"404", status(404), soon},
		{"410", status(410), -2},
		{"429", status(429), soon},
		{"429 with a wait", status(429, "Retry-After", "90"), 90 * time.Second},
		{"429 with too long a wait", status(429, "Retry-After", "999999"), 6 * time.Hour},
		{"429 with a wait below ours", status(429, "Retry-After", "-7"), soon},
		{"500", status(500), soon},
		{"500 with a wait", status(500, "Retry-After", "90"), soon},
		{"503 until a date", status(503, "Retry-After",
			storetest.NewClock().Now().Add(10*time.Minute).Format(http.TimeFormat)), 10 * time.Minute},
		{"503 until never", status(503, "Retry-After", "soon"), soon},
		{"cut off", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, soon},
		{"a time-out", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, soon},
		{"a slow body after 500", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, soon},
		{"a slow body after 200", func(w http.ResponseWriter,
			r *http.Request) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, -1},
		{"a huge body", func(w http.ResponseWriter, r *http.Request) {
			for range 1024 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := fresh(t)
			a := w.verified("ada", "BUH", url)
			w.deliver(a, "m1")
			w.answer = c.answer
			w.work()
			if diff := cmp.Diff([]string{"fare m1"}, w.requests()); diff != "" {
				t.Error(diff)
			}
			d := w.one(a, "m1")
			if ended := !d.Ended.IsZero(); ended != (c.next < 0) || d.Delivered != (c.next == -1) ||
				w.paused(a) != (c.next == -2) || len(w.jobs()) != map[bool]int{true: 1}[c.next == -2] {
				t.Errorf("%+v, paused: %v", d, w.paused(a))
			}
			if c.next < 0 {
				return
			}
			w.answer = nil
			w.clock.Add(c.next - time.Second)
			if w.work(); len(w.requests()) > 0 {
				t.Errorf("tried before %v had passed", c.next)
			}
			w.clock.Add(time.Second)
			w.work()
			if diff := cmp.Diff([]string{"fare m1"}, w.requests()); diff != "" || !w.one(a, "m1").Delivered {
				t.Error("not tried then", diff)
			}
		})
	}
}

func TestASlowEndpoint(t *testing.T) {
	w := fresh(t)
	slow, quick := w.verified("ada", "BUH", url), w.verified("bob", "BUH", "https://other.example.com/")
	w.answer = func(rw http.ResponseWriter, r *http.Request) {
		if r.Host == "hook.example.com" {
			<-r.Context().Done()
		}
	}
	for i := range 20 {
		w.deliver(slow, fmt.Sprintf("slow%02d", i))
	}
	w.deliver(quick, "quick")
	w.work()
	if diff := cmp.Diff([]string{"fare quick", "fare slow00"}, sorted(w.requests())); diff != "" {
		t.Error(diff)
	}
	w.answer = nil
	w.clock.Add(5 * time.Second)
	if w.work(); len(w.requests()) != 20 {
		t.Error("what waited is not delivered once the endpoint answers")
	}
	for i := range 20 {
		if d := w.one(slow, fmt.Sprintf("slow%02d", i)); !d.Delivered || i > 0 && d.Tries != 1 {
			t.Errorf("%+v", d)
		}
	}
}

func TestEndedAlerts(t *testing.T) {
	w := fresh(t)
	a := w.verified("ada", "BUH", url)
	w.deliver(a, "m1")
	if _, err := w.Alerts.Remove(t.Context(), a.Subscriber, a.Ref()); err != nil {
		t.Fatal(err)
	}
	w.work()
	if got := w.requests(); len(got) > 0 {
		t.Errorf("%q", got)
	}
	for _, partition := range []string{"DELIVERIES", "WEBHOOK#ada"} {
		if items, err := w.Deliveries.Table.Query(t.Context(), store.Range{Partition: partition}); err != nil ||
			len(items) > 0 {
			t.Errorf("%s has %d items, error %v", partition, len(items), err)
		}
	}
}

func TestTestsAreCapped(t *testing.T) {
	w := fresh(t)
	w.answer = status(500)
	for i := range 40 {
		a := w.alert(fmt.Sprint("mallory", i), "BUH", url)
		if err := w.Deliveries.Enqueue(t.Context(), webhook.Test(a, "x", w.clock.Now())); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		w.work()
		w.clock.Add(10 * time.Second)
	}
	if got := len(w.requests()); got != 30 {
		t.Errorf("%d requests in an hour", got)
	}
}

func TestUnderFaults(t *testing.T) {
	fixture.EachFault(t, func(t *testing.T, f *storetest.Faulty, clock *storetest.Clock) {
		w := open(t, f, clock)
		calm := open(t, f.Table, clock)
		a := calm.verified("ada", "BUH", url)
		w.answer = status(500)
		again := func(do func() error) {
			t.Helper()
			for range 5 {
				if do() == nil {
					return
				}
				f.Heal()
			}
			t.Fatal("it does not come to an end")
		}
		again(func() error { return w.carrier.Deliver(t.Context(), a, message("m1")) })
		round := func() { again(func() error { _, err := w.Work(t.Context()); return err }) }
		round()
		w.answer = nil
		for range 4 {
			clock.Add(3 * time.Minute)
			round()
		}
		got := w.requests()
		if d := calm.one(a, "m1"); !d.Delivered || len(got) == 0 || len(slices.Compact(got)) != 1 {
			t.Errorf("delivered: %v, after %q", d.Delivered, got)
		}
		if items, err := f.Table.Query(t.Context(), store.Range{Partition: "DELIVERIES"}); err != nil ||
			len(items) > 0 {
			t.Errorf("%d are left in the queue, error %v", len(items), err)
		}
	})
}

func TestSignatures(t *testing.T) {
	w := fresh(t)
	a := w.verified("ada", "BUH", url)
	first := w.Secrets.Secret(a.Subscriber, url, 0)
	verify := func(id, secret string, want bool) {
		t.Helper()
		w.deliver(a, id)
		w.work()
		w.mu.Lock()
		defer w.mu.Unlock()
		r := w.got[len(w.got)-1]
		library, err := standard.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := library.VerifyIgnoringTimestamp(r.body, r.header); (err == nil) != want {
			t.Errorf("%s: %v", id, err)
		}
		if err := library.VerifyIgnoringTimestamp(append(slices.Clone(r.body), ' '), r.header); err == nil {
			t.Errorf("%s: a body that was changed is verified", id)
		}
	}
	verify("m1", first, true)
	verify("m2", w.Secrets.Secret("bob", url, 0), false)
	second, err := w.Secrets.Rotate(t.Context(), w.Deliveries, a.Subscriber, url, w.clock.Now())
	if err != nil || second == first {
		t.Fatal(second, err)
	}
	verify("m3", first, true)
	verify("m4", second, true)
	w.clock.Add(24 * time.Hour)
	verify("m5", first, false)
	verify("m6", second, true)
}

func TestTheEnd(t *testing.T) {
	for _, c := range []struct {
		name   string
		others bool
		takes  bool
		logged []string
	}{
		{"taken", true, true, []string{"ended end-1"}},
		{"taken, the last one", false, true, []string{"ended end-1"}},
		{"not taken for a day", true, false, nil},
		{"not taken for a day, the last one", false, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := fresh(t)
			a := w.verified("ada", "BUH", url)
			if c.others {
				w.alert("ada", "LON", url)
			}
			if !c.takes {
				w.answer = status(500)
			}
			end := notify.Message{ID: "end-1", Language: "it", Ended: true, Manage: "https://verdetto.example/m",
				Unsubscribe: "https://verdetto.example/u", Fares: []notify.Fare{{Route: a.Route}}}
			for range 2 { // a killed sender queues the message again
				if err := w.carrier.Deliver(t.Context(), a, end); err != nil {
					t.Fatal(err)
				}
			}
			w.work()
			if _, err := w.Alerts.One(t.Context(), a.Ref(), a.Subscriber); (err == nil) == c.takes {
				t.Errorf("the alert after a first try: %v", err)
			}
			first := w.requests()
			for range 30 {
				w.clock.Add(time.Hour)
				w.work()
			}
			if again := w.requests(); c.takes {
				if diff := cmp.Diff(c.logged, append(first, again...)); diff != "" {
					t.Error(diff)
				}
			} else if len(again) < 5 || slices.ContainsFunc(again, func(s string) bool { return s != "ended end-1" }) {
				t.Errorf("%q", again)
			}
			left, err := w.Alerts.BySubscriber(t.Context(), a.Subscriber)
			if err != nil || len(left) != map[bool]int{true: 1}[c.others] ||
				slices.ContainsFunc(left, func(l store.Alert) bool { return l.Ref() == a.Ref() }) {
				t.Errorf("%+v %v", left, err)
			}
			if e, err := w.Deliveries.Endpoint(t.Context(), a.Subscriber, url); err != nil || e.Known() != c.others {
				t.Errorf("the endpoint: %+v %v", e, err)
			}
			if kept, err := w.Deliveries.BySubscriber(t.Context(), a.Subscriber); err != nil ||
				!c.others && len(kept) > 0 {
				t.Errorf("%+v %v", kept, err)
			}
		})
	}
}
