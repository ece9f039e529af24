package refresh_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
)

func (h *fixture) toAnywhere(who string, threshold fare.Cents) {
	h.T.Helper()
	h.confirm(who, store.Alert{Route: fare.Route{Origin: "MIL", Destination: store.Anywhere}, Threshold: threshold})
}

func (h *fixture) mailedCities(who string) (cities []string) {
	h.T.Helper()
	mails, err := maildir.Read(h.Carrier.Folder)
	if err != nil {
		h.T.Fatal(err)
	}
	for _, m := range mails {
		for _, part := range strings.Split(m.Text, "/?da=MIL&a=")[1:] {
			if m.To == notifytest.AddressOf(who) {
				cities = append(cities, part[:3])
			}
		}
	}
	slices.Sort(cities)
	return cities
}

// The first refresh of a store writes the deals only at its end. The subscriber gets a mail about
// each destination once, and again only after that destination's price has risen.
func TestAlertsToAnywhere(t *testing.T) {
	h := newFixture(t)
	h.toAnywhere("ada", 0)
	h.toAnywhere("under35", 3500)
	for week, c := range []struct {
		buh, lon     fare.Cents
		ada, under35 string
	}{
		{3000, 5000, "BUH", "BUH"},
		{3000, 5000, "BUH", "BUH"},
		{3000, 4000, "BUH LON", "BUH"},
		{6000, 3200, "BUH LON", "BUH LON"},
		{2900, 3200, "BUH BUH LON", "BUH BUH LON"},
	} {
		prices := map[string][]fare.Cents{"MIL-BUH": {c.buh}, "MIL-LON": {c.lon}, "ROM-PAR": {100}}
		if week == 0 {
			prices = map[string][]fare.Cents{"MIL-BUH": notifytest.Steady(c.buh), "MIL-LON": notifytest.Steady(c.lon),
				"ROM-PAR": notifytest.Steady(100)}
		}
		if report := h.refresh(h.priced(prices)); report.Failed > 0 {
			t.Fatal(report)
		}
		if _, err := h.Sender().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		for who, want := range map[string]string{"ada": c.ada, "under35": c.under35} {
			if got := strings.Join(h.mailedCities(who), " "); got != want {
				t.Errorf("week %d: %s was told of %s, want %s", week, who, got, want)
			}
		}
		h.Add(8 * 24 * time.Hour)
	}
	for _, who := range []string{"ada", "under35"} {
		h.Unsubscribe(who)
	}
	h.refresh(h.priced(map[string][]fare.Cents{"MIL-BUH": {3000}}))
	h.Work(notify.Result{Settled: 1})
	if watched, err := h.Alerts().SubscribedRoutes(t.Context(), "MIL"); err != nil || len(watched) > 0 {
		t.Errorf("%v are watched, %v", watched, err)
	}
}

// Fares from questions about one route's departures also reach the alerts to any destination. If a
// worker is killed before it publishes, the redelivered message publishes without asking again.
func TestAlertsToAnywhereCoverDepartures(t *testing.T) {
	h := newFixture(t)
	w := newDeepWorld(t, h.Table, "MIL-BUH", "MIL-LON")
	h.Set(w.now)
	var found []fare.Fare
	for back := range 30 { // enough for a verdict
		f := departing("MIL-BUH", today.AddDate(0, 0, -back), 5000+fare.Cents(100*(back%7)), 0)[0]
		if back == 0 {
			f.Price = 4000
		}
		found = append(found, f)
	}
	w.source.departures["MIL-BUH"] = found
	_, before := w.plan()
	h.toAnywhere("ada", 0)
	_, after := w.plan()
	if diff := cmp.Diff(before, after); diff != "" || len(before) == 0 {
		t.Errorf("asked for with an alert to anywhere (-without +with): %s", diff)
	}
	w.now = w.now.Add(time.Second)
	message := deepMessage("1", w.now, "MIL-BUH")
	broken := w.function()
	broken.Fares.Table = refusing{h.Table, []string{"WAKES"}}
	if failed := broken.Messages(t.Context(), []queue.Message{message}); len(failed) != 1 {
		t.Fatalf("failed %v", failed)
	}
	asked := w.source.takeQuestions()
	if failed := w.work(message); len(failed) > 0 || len(w.source.takeQuestions()) > 0 || len(asked) != 1 {
		t.Fatalf("asked for %v; failed %v", asked, failed)
	}
	h.Set(w.now)
	h.Work(notify.Result{Sent: 1, Settled: 1})
	if got := h.mailedCities("ada"); !slices.Equal(got, []string{"BUH"}) {
		t.Errorf("told of %v", got)
	}
}
