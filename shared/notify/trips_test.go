package notify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// trip is a fixture whose route has departures that were seen for 40 days at 50 to
// 60 euro; what each costs today is what of says, 0 for nothing.
type trip struct {
	*notifytest.Fixture
	subscribed int
}

func newTrip(t *testing.T) *trip { return &trip{Fixture: notifytest.New(t)} }

func (h *trip) today() fare.Day { return fare.DayOf(h.Now()) }

// sheetAt is a sheet of departures that were seen for 40 days at 50 to 60 euro, and on the last one at what of says.
func sheetAt(today fare.Day, of func(depart fare.Day) fare.Cents) []byte {
	const ahead = 120
	var s departure.Learner
	s.In(fare.EUR, 1)
	s.Stops = departure.AllNonStop
	s.Facts = verdict.RouteSummary{View: verdict.View{Observations: 4800, Newest: today.Time().Unix()}}.Facts()
	var all []departure.Live
	for day := today - 40; day <= today; day++ {
		for lead := fare.Day(1); lead <= ahead; lead++ {
			price := fare.Cents(5000 + 100*((int(day+lead)*7+int(day)*3)%11))
			if day == today {
				price = of(day + lead)
			}
			if price > 0 {
				all = append(all, departure.Live{Depart: day + lead, Price: price, Found: day.Time().Unix() + 3600, Stops: fare.NonStop})
			}
		}
	}
	var left departure.Statistics
	s.Advance(today, departure.Start(today-40), all, &left)
	return s.Encode()
}

// refresh stores what a refresh of today does of some days of departure, and leaves its notification.
func (h *trip) refresh(of func(depart fare.Day) fare.Cents) {
	h.T.Helper()
	today := h.today()
	ctx, fares := h.T.Context(), store.Fares{Table: h.Table}
	of1 := fare.Series{Route: notifytest.Route("MIL-BUH")}
	before, err := fares.Departures(ctx, of1)
	if err == nil {
		err = fares.PutDepartures(ctx, of1, store.Departures{Any: store.Versioned{Data: sheetAt(today, of), Version: before.Any.Version}}, store.Left{})
	}
	if _, _, fault := fares.Pooled(ctx, store.Strong); err == nil && errors.Is(fault, store.ErrNotFound) {
		err = fares.PutPooled(ctx, departure.Cycle{Day: today - 1, Pooled: departure.Start(today)}.Encode(), 0, store.Score{})
	}
	if err == nil {
		err = store.Notifications{Table: h.Table}.LeaveTrips(ctx, of1.Route, today, h.Now().AddDate(0, 0, 8))
	}
	if err != nil {
		h.T.Fatal(err)
	}
}

// watch makes a confirmed alert for a trip.
func (h *trip) watch(who string, a store.Alert) store.Alert {
	h.T.Helper()
	h.subscribed++
	id := fmt.Sprint("trip", h.subscribed)
	a.Subscriber, a.Route, a.Email, a.Language = notifytest.IDOf(who), notifytest.Route("MIL-BUH"), notifytest.AddressOf(who), "it"
	a.ID, a.Since = a.NewID(), h.today()
	err := h.Alerts().AddPending(h.T.Context(), id, a, h.Now().Add(time.Hour), store.Job{At: h.Now()})
	if err == nil {
		a, err = h.Alerts().Confirm(h.T.Context(), id)
	}
	if err != nil {
		h.T.Fatal(err)
	}
	return a
}

func (h *trip) mails() []mail.Message {
	h.T.Helper()
	mails, err := maildir.Read(h.Carrier.Folder)
	if err != nil {
		h.T.Fatal(err)
	}
	var all []mail.Message
	for _, m := range mails {
		all = append(all, m.Message)
	}
	return all
}

// always costs the same on every day but some.
func always(usual fare.Cents, but map[fare.Day]fare.Cents) func(fare.Day) fare.Cents {
	return func(depart fare.Day) fare.Cents {
		if price, is := but[depart]; is {
			return price
		}
		return usual
	}
}

// TestTrips: each kind of alert, for a day, some days and a month, is told of its own departures once.
func TestTrips(t *testing.T) {
	h := newTrip(t)
	day := h.today() + 60
	one, other := store.Trip{From: day, To: day}, store.Trip{From: day + 20, To: day + 20}
	some := store.Trip{From: day - 2, To: day + 3}
	first, last := departure.Month.Ends(day)
	month := store.Trip{From: first, To: last, Month: true}
	h.watch("threshold", store.Alert{Trip: one, Threshold: 4000})
	h.watch("other", store.Alert{Trip: other, Threshold: 4000})
	h.watch("days", store.Alert{Trip: some, Threshold: 4000})
	h.watch("month", store.Alert{Trip: month, Threshold: 4000})
	h.watch("verdict", store.Alert{Trip: one})
	h.watch("spanverdict", store.Alert{Trip: some})
	h.watch("drop", store.Alert{Trip: one, Kind: store.Drop, Percent: 20})
	h.watch("change", store.Alert{Trip: one, Kind: store.Change})
	h.watch("low", store.Alert{Trip: one, Kind: store.Low, Days: 7})
	h.watch("returns", store.Alert{Trip: store.Trip{From: day, To: day, Nights: fare.Return4to7}, Threshold: 4000})
	h.Subscribe("plain", "MIL-BUH", 9000) // is for the route: it comes with the route's news

	h.refresh(always(5500, nil))
	h.Work(notify.Result{Done: 1})
	h.WantMailed()
	h.Add(8 * 24 * time.Hour)
	cheap := map[fare.Day]fare.Cents{day: 3900}
	h.refresh(always(5500, cheap))
	told := []string{"threshold", "days", "month", "verdict", "spanverdict", "drop", "change", "low"}
	h.Work(notify.Result{Sent: len(told), Done: 1})
	h.WantMailed(told...)
	for _, m := range h.mails() {
		if !strings.Contains(m.Subject, "39,00") || !strings.Contains(m.Text, "partenza: ") {
			t.Errorf("%s has %q:\n%s", m.To, m.Subject, m.Text)
		}
	}
	// The same again, on that day and on the next one, is told to nobody.
	h.refresh(always(5500, cheap))
	h.Work(notify.Result{Done: 1})
	h.Add(24 * time.Hour)
	h.refresh(always(5500, cheap))
	h.Work(notify.Result{Done: 1})
	h.WantMailed(told...)
	// Cheaper still: that is another fare for those who ask for it, and the same for the others.
	h.Add(24 * time.Hour)
	h.refresh(always(5500, map[fare.Day]fare.Cents{day: 3000}))
	h.Work(notify.Result{Sent: 3, Done: 1})
	h.WantMailed(append(told, "drop", "change", "low")...)
}

// TestATripEnds: when the last departure has been, it is said once, whether or not
// anything is on sale, and the alert is no more. One that is paused ends without a word.
func TestATripEnds(t *testing.T) {
	h := newTrip(t)
	day := h.today() + 5
	h.watch("ada", store.Alert{Trip: store.Trip{From: day - 2, To: day}, Threshold: 100})
	h.watch("bob", store.Alert{Trip: store.Trip{From: day, To: day}, Kind: store.Change, Paused: day + 30})
	later := h.watch("eve", store.Alert{Trip: store.Trip{From: day, To: day + 1}, Threshold: 100})
	h.Add(5 * 24 * time.Hour)
	h.refresh(always(0, nil))
	h.Work(notify.Result{Done: 1})
	h.WantMailed()
	h.Add(24 * time.Hour)
	h.refresh(always(0, nil))
	h.Work(notify.Result{Sent: 2, Done: 1})
	h.WantMailed("ada")
	if m := h.mails()[0]; !strings.Contains(m.Subject, "avviso concluso") || !strings.Contains(m.Text, "partenza: dal") {
		t.Errorf("%q:\n%s", m.Subject, m.Text)
	}
	left, err := h.Alerts().Page(t.Context(), later.Route, "", 10)
	if err != nil || len(left) != 1 || left[0].Ref() != later.Ref() {
		t.Errorf("left are %v, %v", left, err)
	}
	h.refresh(always(0, nil))
	h.Work(notify.Result{Done: 1})
	h.WantMailed("ada")
}

// TestTripsUnderFaults: with each storage call failing once, before and after its effect, or the
// process dying there, everyone is told of a trip, and that it ended, and nobody has two different messages of it.
func TestTripsUnderFaults(t *testing.T) {
	for _, dies := range []bool{false, true} {
		for n := 0; ; n++ {
			h := newTrip(t)
			day := h.today() + 60
			h.watch("ada", store.Alert{Trip: store.Trip{From: day, To: day}, Threshold: 4000})
			h.watch("bob", store.Alert{Trip: store.Trip{From: day, To: day}, Kind: store.Drop, Percent: 20})
			h.watch("eve", store.Alert{Trip: store.Trip{From: h.today(), To: h.today()}, Threshold: 100})
			h.refresh(always(5500, nil))
			h.Work(notify.Result{Done: 1})
			h.Add(24 * time.Hour)
			h.refresh(always(5500, map[fare.Day]fare.Cents{day: 3900}))
			sound := h.Table
			faulty := &failing{Table: sound, at: n, dies: dies}
			h.Table = faulty
			_, _ = h.Sender().Work(t.Context())
			h.Table = sound
			h.Add(10 * time.Minute) // the lease of who died is over
			if _, err := h.Sender().Work(t.Context()); err != nil {
				t.Fatalf("call %d, dies %v: %v", n, dies, err)
			}
			h.WantMailed("ada", "bob", "eve")
			if left, err := h.Alerts().Of(t.Context(), notifytest.IDOf("eve")); err != nil || len(left) != 0 {
				t.Errorf("call %d, dies %v: eve still has %v, %v", n, dies, left, err)
			}
			if faulty.calls <= n {
				if n < 20 {
					t.Errorf("only %d calls were made to fail", n)
				}
				break
			}
		}
	}
}

// failing fails its nth call, a write after it took effect; where the process dies, all that follow fail as well.
type failing struct {
	store.Table
	at, calls int
	dies      bool
}

func (f *failing) fails() bool {
	f.calls++
	return f.calls-1 == f.at || f.dies && f.calls > f.at
}

func (f *failing) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	if f.fails() {
		return store.Item{}, store.ErrUnavailable
	}
	return f.Table.Get(ctx, key, read)
}

func (f *failing) Query(ctx context.Context, r store.Range) ([]store.Item, error) {
	if f.fails() {
		return nil, store.ErrUnavailable
	}
	return f.Table.Query(ctx, r)
}

func (f *failing) Write(ctx context.Context, ops ...store.Op) error {
	first := f.calls == f.at
	if !f.fails() {
		return f.Table.Write(ctx, ops...)
	}
	if first {
		_ = f.Table.Write(ctx, ops...)
	}
	return store.ErrUnavailable
}
