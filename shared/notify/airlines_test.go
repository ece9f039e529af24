package notify_test

import (
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
)

func flightOf(code string) (f fare.Flight) {
	f.Airline, _ = fare.ParseAirline(code)
	f.From, _ = fare.ParseAirport("BGY")
	f.To, _ = fare.ParseAirport("STN")
	f.Minutes = 125
	return f
}

// An alert that is limited to some airlines is notified of their fares alone. Its mail names the
// limit and the flight, and its links keep the limit.
func TestAirlines(t *testing.T) {
	h := newTrip(t)
	day := h.Today() + 60
	only, without := store.Trip{Airlines: "FR"}, store.Trip{Airlines: "!FR"}
	h.watch("ryanair", store.Alert{Trip: only, Threshold: 4000})
	h.watch("others", store.Alert{Trip: without, Threshold: 4000})
	h.watch("day", store.Alert{Trip: store.Trip{From: day, To: day, Airlines: "FR"}, Threshold: 4000})
	h.watch("otherday", store.Alert{Trip: store.Trip{From: day, To: day, Airlines: "W6"}, Threshold: 4000})
	h.refreshOf(always(5500, map[fare.Day]fare.Cents{day: 3900}), func(depart fare.Day) fare.Flight {
		switch {
		case depart == day:
			return flightOf("FR")
		case depart%2 == 0:
			return flightOf("W6")
		}
		return fare.Flight{}
	})
	summary := verdict.RouteSummary{AsOf: h.Today(), Currency: fare.EUR, PerEuro: 1}
	for ago := range fare.Day(40) {
		summary.Lows = append(summary.Lows, verdict.Low{Day: h.Today() - 40 + ago, Price: 5000 + fare.Cents(ago)})
	}
	if err := (store.Fares{Table: h.Table}).PutSummary(t.Context(), fare.Series{Route: notifytest.Route("MIL-BUH")},
		summary.Encode(), 0); err != nil {
		t.Fatal(err)
	}
	h.Work(notify.Result{Sent: 2, Settled: 1})
	h.WantMailed("day", "ryanair")
	for _, m := range h.Mails() {
		for _, want := range []string{"solo Ryanair", "Ryanair, Bergamo–Stansted, diretto, 2 h 5 min.",
			"&vettore=FR&"} {
			if !strings.Contains(strings.Join(strings.Fields(m.Text), " "), want) {
				t.Errorf("%s lacks %q:\n%s", m.To, want, m.Text)
			}
		}
	}
}

// The same holds for an alert to Anywhere, with the flight of each fare in the list.
func TestAirlinesToAnywhere(t *testing.T) {
	h := newTrip(t)
	toAnywhere(h, "all", store.Alert{})
	toAnywhere(h, "ryanair", store.Alert{Trip: store.Trip{Airlines: "FR"}})
	toAnywhere(h, "easyjet", store.Alert{Trip: store.Trip{Airlines: "U2"}})
	today := h.Today()
	of := func(price fare.Cents, code string) deals.Deal {
		d := dealAt(today, price, verdict.Good, 0)
		d.Fare.Flight, d.Fare.Stops = flightOf(code), fare.NonStop
		return d
	}
	wizz, ryanair := of(3000, "W6"), of(3500, "FR")
	putDeals(h.Fixture, "MIL", deals.Origin{Entries: []deals.Entry{{Destination: "LON", AsOf: today, Observations: 400,
		Any: deals.Fares{Route: []deals.Deal{wizz}, Airlines: []deals.Deal{wizz, ryanair}}}}})
	h.Work(notify.Result{Sent: 2, Settled: 1})
	h.WantMailed("all", "ryanair")
	for _, m := range h.Mails() {
		wants := []string{"30,00", "Wizz Air, Bergamo–Stansted, diretto, 2 h 5 min."}
		if strings.HasPrefix(m.To, "ryanair") {
			wants = []string{"35,00", "Ryanair, Bergamo–Stansted, diretto, 2 h 5 min.", "solo Ryanair", "&vettore=FR"}
		}
		for _, want := range wants {
			if !strings.Contains(strings.Join(strings.Fields(m.Text), " "), want) {
				t.Errorf("%s lacks %q:\n%s", m.To, want, m.Text)
			}
		}
		if !strings.Contains(m.HTML, "Bergamo–Stansted") {
			t.Errorf("%s names no flight:\n%s", m.To, m.HTML)
		}
	}
}

// Each fare of a weekly mail has its flight, where the source states it.
func TestDigestNamesFlights(t *testing.T) {
	h := newTrip(t)
	day := h.Today() + 60
	h.watch("weekly", store.Alert{Trip: store.Trip{From: day, To: day, Airlines: "FR"}, Threshold: 4000, Digest: true})
	for range 8 {
		h.refreshOf(always(5500, map[fare.Day]fare.Cents{day: 3900}), func(fare.Day) fare.Flight { return flightOf("FR") })
		if _, err := h.Sender().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.Add(24 * time.Hour)
	}
	mails := h.Mails()
	if len(mails) == 0 || !strings.Contains(strings.Join(strings.Fields(mails[0].Text), " "),
		"Ryanair, Bergamo–Stansted, diretto, 2 h 5 min.") ||
		!strings.Contains(mails[0].HTML, "Bergamo–Stansted") {
		t.Errorf("%d mails: %+v", len(mails), mails)
	}
}
