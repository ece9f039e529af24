package notify_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

type trip struct{ *notifytest.Fixture }

func newTrip(t *testing.T) *trip { return &trip{notifytest.New(t)} }

// sheetAt returns the state of departures that cost 50 to 60 EUR on each of the last 40 days. If offer
// is not 0, every 25th departure cost this amount instead. Today's prices are those of priceOn, where
// 0 means no fare.
func sheetAt(today fare.Day, offer fare.Cents, priceOn func(depart fare.Day) fare.Cents) *departure.State {
	const ahead = 120
	var s departure.Learner
	s.Convert(fare.EUR, 1)
	s.Stops = departure.AllNonStop
	s.Facts = verdict.RouteSummary{View: verdict.View{Observations: 4800, Newest: today.Time().Unix()}}.Facts()
	var all []departure.Live
	for day := today - 40; day <= today; day++ {
		for lead := fare.Day(1); lead <= ahead; lead++ {
			price := fare.Cents(5000 + 100*((int(day+lead)*7+int(day)*3)%11))
			if offer > 0 && (day+lead)%25 == 0 {
				price = offer
			}
			if day == today {
				price = priceOn(day + lead)
			}
			if price > 0 {
				all = append(all, departure.Live{Depart: day + lead, Price: price, Found: day.Time().Unix() + 3600,
					Stops: fare.NonStop})
			}
		}
	}
	var left departure.Statistics
	s.Advance(today, departure.Start(today-40), all, &left)
	return &s.State
}

func (h *trip) refresh(priceOn func(depart fare.Day) fare.Cents) {
	h.T.Helper()
	h.refreshOf(priceOn, func(fare.Day) fare.Flight { return fare.Flight{} })
}

func (h *trip) refreshOf(priceOn func(depart fare.Day) fare.Cents, flight func(depart fare.Day) fare.Flight) {
	h.T.Helper()
	today := h.Today()
	sheet := sheetAt(today, 3000, priceOn)
	for i, l := range sheet.Live {
		sheet.Live[i].Flight = flight(l.Depart)
	}
	ctx, fares := h.T.Context(), store.Fares{Table: h.Table}
	of1 := fare.Series{Route: notifytest.Route("MIL-BUH")}
	before, err := fares.Departures(ctx, of1)
	if err == nil {
		err = fares.PutDepartures(ctx, of1, before, store.Departures{Any: store.States.Pack(sheet)}, store.Contribution{})
	}
	if _, fault := fares.Pooled(ctx); err == nil && errors.Is(fault, store.ErrNotFound) {
		err = fares.PutPooled(ctx, store.Stored[departure.Cycle]{}, store.Cycles.Pack(departure.Cycle{Day: today - 1,
			Pooled: departure.Start(today)}), store.Score{})
	}
	if err == nil {
		err = store.Notifications{Table: h.Table}.LeaveTrips(ctx, of1.Route, today, h.Now().AddDate(0, 0, 8))
	}
	if err != nil {
		h.T.Fatal(err)
	}
}

func (h *trip) watch(who string, a store.Alert) store.Alert {
	h.T.Helper()
	a.Route, a.Language = notifytest.Route("MIL-BUH"), "it"
	return h.Confirm(who, a)
}

func always(usual fare.Cents, but map[fare.Day]fare.Cents) func(fare.Day) fare.Cents {
	return func(depart fare.Day) fare.Cents {
		if price, is := but[depart]; is {
			return price
		}
		return usual
	}
}

func TestTrips(t *testing.T) {
	h := newTrip(t)
	day := h.Today() + 60
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
	h.Subscribe("plain", "MIL-BUH", 9000)

	h.refresh(always(5500, nil))
	h.Work(notify.Result{Settled: 1})
	h.WantMailed()
	h.Add(8 * 24 * time.Hour)
	cheap := map[fare.Day]fare.Cents{day: 3900}
	h.refresh(always(5500, cheap))
	notified := []string{"threshold", "days", "month", "verdict", "spanverdict", "drop", "change", "low"}
	h.Work(notify.Result{Sent: len(notified), Settled: 1})
	h.WantMailed(notified...)
	for _, m := range h.Mails() {
		if !strings.Contains(m.Subject, "39,00") || !strings.Contains(m.Text, "partenza: ") {
			t.Errorf("%s has %q:\n%s", m.To, m.Subject, m.Text)
		}
	}
	h.refresh(always(5500, cheap))
	h.Work(notify.Result{Settled: 1})
	h.Add(24 * time.Hour)
	h.refresh(always(5500, cheap))
	h.Work(notify.Result{Settled: 1})
	h.WantMailed(notified...)
	h.Add(24 * time.Hour)
	h.refresh(always(5500, map[fare.Day]fare.Cents{day: 3000}))
	h.Work(notify.Result{Sent: 3, Settled: 1})
	h.WantMailed(append(notified, "drop", "change", "low")...)
}

func TestATripEnds(t *testing.T) {
	h := newTrip(t)
	day := h.Today() + 5
	h.watch("ada", store.Alert{Trip: store.Trip{From: day - 2, To: day}, Threshold: 100})
	h.watch("bob", store.Alert{Trip: store.Trip{From: day, To: day}, Kind: store.Change, Paused: day + 30})
	later := h.watch("eve", store.Alert{Trip: store.Trip{From: day, To: day + 1}, Threshold: 100})
	h.Add(5 * 24 * time.Hour)
	h.refresh(always(0, nil))
	h.Work(notify.Result{Settled: 1})
	h.WantMailed()
	h.Add(24 * time.Hour)
	h.refresh(always(0, nil))
	h.Work(notify.Result{Sent: 2, Settled: 1})
	h.WantMailed("ada")
	if m := h.Mails()[0]; !strings.Contains(m.Subject, "avviso concluso") ||
		!strings.Contains(m.Text, "partenza: da ") {
		t.Errorf("%q:\n%s", m.Subject, m.Text)
	}
	left, err := h.Alerts().Page(t.Context(), later.Route, "", 10)
	if err != nil || len(left) != 1 || left[0].Ref() != later.Ref() {
		t.Errorf("left are %v, %v", left, err)
	}
	h.refresh(always(0, nil))
	h.Work(notify.Result{Settled: 1})
	h.WantMailed("ada")
}

func TestAirports(t *testing.T) {
	h := newTrip(t)
	day := h.Today() + 60
	var airports fare.Airports
	airports.From, _ = fare.ParseAirport("BGY")
	bergamo := store.Trip{From: day, To: day, Airports: airports}
	h.watch("bergamo", store.Alert{Trip: bergamo, Threshold: 4000})
	h.watch("city", store.Alert{Trip: store.Trip{From: day, To: day}, Threshold: 4000})

	h.refresh(always(5500, map[fare.Day]fare.Cents{day: 3900})) // fares without airports
	h.Work(notify.Result{Sent: 1, Settled: 1})
	h.WantMailed("city")

	h.Add(8 * 24 * time.Hour)
	pair := fare.Series{Route: notifytest.Route("MIL-BUH"), Airports: airports}
	err := store.Fares{Table: h.Table}.PutDepartures(t.Context(), pair, store.Departures{}, store.Departures{
		Any: store.States.Pack(sheetAt(h.Today(), 0, always(5500, map[fare.Day]fare.Cents{day: 3800})))}, store.Contribution{})
	if err != nil {
		t.Fatal(err)
	}
	h.refresh(always(5500, nil))
	h.Work(notify.Result{Sent: 1, Settled: 1})
	h.WantMailed("bergamo", "city")
	for _, m := range h.Mails() {
		if isOne := strings.HasPrefix(m.To, "bergamo"); isOne != strings.Contains(m.Subject, "Bergamo–Bucarest") ||
			isOne && (!strings.Contains(m.Text, "38") || !strings.Contains(m.Text, "da=BGY&a=BUH")) {
			t.Errorf("%s: %s\n%s", m.To, m.Subject, m.Text)
		}
	}
}
