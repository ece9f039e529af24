package notify

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

func TestSince(t *testing.T) {
	h := func(prices ...fare.Cents) (h history) {
		for i, price := range prices {
			h = append(h, Observation{Day: 20000 - 7*fare.Day(len(prices)-1-i), Price: price, Level: verdict.Good})
		}
		return h
	}
	notified := func(a store.Alert) store.Alert {
		a.Mailed, a.State.LastPrice = 19993, 5000
		return a
	}
	low, drop, change := store.Alert{Kind: store.Low, Days: 30}, store.Alert{Kind: store.Drop, Percent: 10},
		store.Alert{Kind: store.Change}
	for _, c := range []struct {
		name  string
		alert store.Alert
		saw   history
		want  string
	}{
		{"a low", low, h(4200, 4500, 5000, 4000), "The lowest in 30 days: until now it was €42.00."},
		{"a low, one before these days cheaper", low, h(3000, 6000, 6000, 4500, 5000, 4000),
			"The lowest in 30 days: until now it was €45.00."},
		{"a low of which nothing is known", low, h(4000), "The lowest in 30 days."},
		{"as low as one that was not told", low, h(4000, 4000), "The lowest in 30 days."},
		{"above one that was not told", low, h(3900, 4000), ""},
		{"a drop", notified(drop), h(6000, 5000, 4000),
			"€10.00 less (20%) than in our message of Friday 27 September 2024: then it was €50.00."},
		{"a drop before the first message", drop, h(8000, 5000, 4000),
			"€40.00 less (50%) than when this alert first saw the fare: then it was €80.00."},
		{"a drop since it was asked for", store.Alert{Kind: store.Drop, Amount: 100, Since: 19993},
			h(8000, 5000, 4000), "€10.00 less (20%) than when this alert first saw the fare: then it was €50.00."},
		{"a drop of which only that is kept", store.Alert{Kind: store.Drop, Amount: 20,
			State: store.State{First: 400020}}, h(400000),
			"€0.20 less (<1%) than when this alert first saw the fare: then it was €4,000.20."},
		{"a change", notified(change), h(6000, 5000, 5900),
			"Now €59.00; in our message of Friday 27 September 2024 it was €50.00."},
		{"a change before the first message", change, h(6000, 5900),
			"Now €59.00; when this alert first saw it, it was €60.00."},
		{"a fare under what was paid", notified(store.Alert{Kind: store.Paid, Threshold: 6500}), h(5000, 4000),
			"€25.00 less than the €65.00 you paid."},
		{"a threshold", notified(store.Alert{Threshold: 4000}), h(5000, 4000), ""},
		{"a verdict", notified(store.Alert{}), h(5000, 4000), ""},
	} {
		last := c.saw[len(c.saw)-1]
		l := newLook(news{Route: fare.Route{Origin: "MIL", Destination: "BUH"}, Day: last.Day, Price: last.Price,
			Depart: 20030, Found: 1728000000, Level: last.Level}, c.saw)
		a := c.alert
		a.Language = "en"
		m, err := l.message(a, Links{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, Since(a, m.Fares[0], i18n.ForCode("en"))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if a.Mailed == 0 && m.Fares[0].LastDay != 0 || a.Mailed > 0 &&
			(m.Fares[0].LastDay != a.Mailed || m.Fares[0].Before != 5000) {
			t.Errorf("%s: %+v", c.name, m.Fares[0])
		}
	}
}

func TestPageOfTrip(t *testing.T) {
	depart, _ := fare.ParseDay("2027-03-20")
	for _, c := range []struct {
		trip store.Trip
		back fare.Day
		want string
	}{
		{store.Trip{}, 0, ""},
		{store.Trip{From: depart, To: depart}, 0, "&quando=2027-03-20"},
		{store.Trip{From: depart - 2, To: depart + 4, Nonstop: true}, 0, "&quando=2027-03-20&diretto=si"},
		{store.Trip{From: depart - 19, To: depart + 11, Month: true}, 0, "&mese=2027-03"},
		{store.Trip{From: depart - 19, To: depart + 11, Month: true, Nights: fare.Return4to7}, depart + 6,
			"&quando=2027-03-20&ritorno=2027-03-26"},
		{store.Trip{Nights: fare.Return4to7}, depart + 6, "&quando=2027-03-20&ritorno=2027-03-26"},
		{store.Trip{Nonstop: true}, 0, "&diretto=si"},
	} {
		n := news{Route: fare.Route{Origin: "MIL", Destination: "BUH"}, Depart: depart, Return: c.back}
		if got := (Links{BaseURL: "https://v.example"}).pageOf(n, store.Alert{Trip: c.trip, Currency: "GBP"},
			i18n.ForCode("it")); got != "https://v.example/?da=MIL&a=BUH"+c.want+"&lang=it&valuta=GBP" {
			t.Errorf("%+v: %s", c.trip, got)
		}
	}
}

func TestPictureOfFewWeeks(t *testing.T) {
	for _, c := range []struct{ known, want int }{{0, 8}, {1, 8}, {2, 8}, {3, 8}, {8, 8}, {9, 9}, {26, 26}, {40, 26}} {
		n := news{Route: fare.Route{Origin: "MIL", Destination: "BUH"}, Day: 20000, Price: 3000, Median: 4000}
		for week := range c.known {
			n.low(n.Day-1-7*fare.Day(week), 4000)
		}
		l := newLook(n, nil)
		if picture, err := l.picture(); err != nil || n.drawn() != c.want || (len(picture) > 0) != (c.known >= 3) {
			t.Errorf("%d weeks: %d drawn, %d bytes, %v", c.known, n.drawn(), len(picture), err)
		}
	}
}

func TestSubject(t *testing.T) {
	story := history{{Day: 100, Price: 7000}, {Day: 107, Price: 6200}, {Day: 114, Price: 5500}, {Day: 121, Price: 4900}}
	for _, c := range []struct {
		name  string
		alert store.Alert
		saw   history
		want  string
	}{
		{"the last message", store.Alert{RequestDay: 100, Mailed: 114, State: store.State{LastPrice: 5500}}, story,
			"Milan–Lisbon: now €49.00, was €55.00"},
		{"the newest fare on the day of the request", store.Alert{RequestDay: 110}, story,
			"Milan–Lisbon: now €49.00, was €62.00"},
		{"the first fare after the request", store.Alert{RequestDay: 90}, story, "Milan–Lisbon: now €49.00, was €70.00"},
		{"an alert from before requests had a day", store.Alert{}, story,
			"Milan–Lisbon: now €49.00, usually €60"},
		{"the same price", store.Alert{RequestDay: 110, Mailed: 114, State: store.State{LastPrice: 4900}}, story,
			"Milan–Lisbon: now €49.00, usually €60"},
		{"nothing known before", store.Alert{RequestDay: 121}, story[3:], "Milan–Lisbon: now €49.00, usually €60"},
		{"a trip that was paid for", store.Alert{Kind: store.Paid, Threshold: 9000, RequestDay: 110}, story,
			"Milan–Lisbon: now €49.00, you paid €90.00"},
	} {
		f := Fare{Origin: "Milan", Destination: "Lisbon", Price: 4900, ForDay: &Judged{Usual: 6000}, Known: known(c.alert, c.saw)}
		if got := Subject(c.alert, f, i18n.ForCode("en")); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
