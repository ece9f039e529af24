package refresh_test

import (
	"slices"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
)

func (h *fixture) addTripAlert(who string, of store.Trip, threshold fare.Cents) {
	h.T.Helper()
	a := store.Alert{Route: notifytest.Route("MIL-BUH"), Trip: of, Threshold: threshold}
	a.Subscriber = notifytest.IDOf(who)
	a.ID = a.NewID()
	h.confirm(who, a)
}

// If a worker is killed before it publishes, the redelivered message publishes without asking
// again.
func TestTripsAreAskedForAndTold(t *testing.T) {
	h := newFixture(t)
	w := newDeepWorld(t, h.Table, "MIL-BUH", "MIL-LON")
	const returns = "MIL-BUH#4-7"
	h.Set(w.now)
	day := fare.DayOf(today) + 30 // departing has a fare for it
	h.addTripAlert("ada", store.Trip{From: day, To: day}, 4500)
	h.addTripAlert("bob", store.Trip{From: day, To: day, Nights: fare.Return4to7}, 9500)
	var faresOut, faresBack []fare.Fare
	for back := range 30 {
		for ahead := range fare.Day(30) {
			out := departing("MIL-BUH", today.AddDate(0, 0, -back), 5000+fare.Cents(100*((back+int(ahead))%7)), 0)[0]
			out.Depart = fare.DayOf(today) + 20 + ahead
			home := departing(returns, today.AddDate(0, 0, -back), 10000+fare.Cents(100*((back+int(ahead))%7)), 0)[0]
			home.Depart = out.Depart
			if back == 0 && out.Depart == day {
				out.Price, home.Price = 4000, 9000
			}
			faresOut, faresBack = append(faresOut, out), append(faresBack, home)
		}
	}
	w.source.departures["MIL-BUH"], w.source.departures[returns] = faresOut, faresBack
	_, series := w.plan()
	if !slices.ContainsFunc(series,
		func(s []string) bool { return slices.Contains(s, "MIL-BUH") && slices.Contains(s, returns) }) {
		t.Fatalf("planned are %v", series)
	}
	w.now = w.now.Add(time.Second)
	message := deepMessage("1", w.now, "MIL-BUH", returns)
	broken := w.function()
	broken.Fares.Table = refusing{h.Table, []string{"WAKES"}}
	if failed := broken.Messages(t.Context(), []queue.Message{message}); len(failed) != 1 {
		t.Fatalf("failed %v", failed)
	}
	asked := w.source.takeQuestions()
	if failed := w.work(message); len(failed) > 0 || len(w.source.takeQuestions()) > 0 || len(asked) != 2 {
		t.Fatalf("asked for %v; failed %v", asked, failed)
	}
	h.Set(w.now)
	if got, err := h.Sender().Work(t.Context()); err != nil || got.Sent != 2 {
		t.Errorf("%+v %v", got, err)
	}
	h.WantMailed("ada", "bob")
	h.Work(notify.Result{})
}
