package notify_test

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
)

var milAnywhere = fare.Route{Origin: "MIL", Destination: store.Anywhere}

// The parameter old is the age of the fare in days.
func dealAt(day fare.Day, price fare.Cents, level verdict.Level, old int) deals.Deal {
	d := deals.Deal{Judged: verdict.Judged{Fare: verdict.Live{Depart: day + 30, Price: price,
		Found: (day - fare.Day(old)).Time().Unix()}}}
	d.Verdict = verdict.Verdict{Level: level, Sample: 3}
	if level != verdict.Unjudged {
		d.Verdict = verdict.Verdict{Level: level, Reliability: verdict.HighReliability, Percentile: 10, Median: 6000,
			Sample: 200}
	}
	return d
}

type offered struct {
	to    fare.City
	price fare.Cents
	level verdict.Level
}

func leaveDeals(h *notifytest.Fixture, origin fare.City, all ...offered) {
	h.T.Helper()
	day := fare.DayOf(h.Now())
	var o deals.Origin
	for _, f := range all {
		e := deals.Entry{Destination: f.to, AsOf: day, Observations: 400}
		if f.price > 0 {
			e.Any.Route = []deals.Deal{dealAt(day, f.price, f.level, 0)}
		}
		o.Entries = append(o.Entries, e)
	}
	putDeals(h, origin, o)
}

func putDeals(h *notifytest.Fixture, origin fare.City, o deals.Origin) {
	h.T.Helper()
	ctx, fares := h.T.Context(), store.Fares{Table: h.Table}
	err := fares.UpdateDeals(ctx, origin, fare.OneWay,
		func(deals.Origin) deals.Origin { return deals.Origin{}.Merge(o.Entries) })
	if err == nil {
		route := fare.Route{Origin: origin, Destination: store.Anywhere}
		err = store.Notifications{Table: h.Table}.LeaveTrips(ctx, route, fare.DayOf(h.Now()), h.Now().AddDate(0, 0, 8))
	}
	if err != nil {
		h.T.Fatal(err)
	}
}

func toAnywhere(h *trip, who string, a store.Alert) store.Alert {
	h.T.Helper()
	a.Route, a.Language = milAnywhere, "it"
	return h.Confirm(who, a)
}

func (h *trip) mailed(who string) (cities []string, subject string) {
	h.T.Helper()
	for _, m := range h.Mails() {
		if m.To != notifytest.AddressOf(who) {
			continue
		}
		cities, subject = nil, m.Subject
		for line := range strings.Lines(m.Text) {
			if u, err := url.Parse(strings.TrimSpace(line)); err == nil && len(u.Query().Get("a")) == 3 {
				cities = append(cities, u.Query().Get("a"))
			}
		}
	}
	return cities, subject
}

func TestAnywhere(t *testing.T) {
	const good, great, plain, thin = verdict.Good, verdict.Great, verdict.Fair, verdict.Unjudged
	for _, c := range []struct {
		name  string
		alert store.Alert
		days  [][]offered
		want  []string
	}{
		{"good or better", store.Alert{}, [][]offered{
			{{"BUH", 5000, good}, {"LIS", 3000, great}, {"LON", 2000, plain}, {"PAR", 1000, thin}},
			{{"BUH", 5000, good}, {"LIS", 2000, great}, {"LON", 2000, plain}, {"PAR", 1000, thin}},
			{{"BUH", 5000, plain}, {"LIS", 3000, great}, {"LON", 1900, good}, {"PAR", 1000, thin}},
			{{"BUH", 4000, good}, {"LIS", 3000, great}, {"LON", 1900, good}, {"PAR", 900, great}},
		}, []string{"LIS BUH", "", "LON", "PAR BUH"}},
		{"great alone", store.Alert{Level: string(great)}, [][]offered{{{"BUH", 5000, good}, {"LIS", 3000, great}}},
			[]string{"LIS"}},
		{"to a country", store.Alert{Area: "GB"}, [][]offered{
			{{"BUH", 5000, good}, {"LIS", 3000, great}, {"LON", 2000, good}},
			{{"BUH", 5000, great}, {"LON", 2000, good}},
		}, []string{"LON", ""}},
		{"to a continent", store.Alert{Area: "150"}, [][]offered{{{"BUH", 5000, good}, {"NYC", 3000, great}}},
			[]string{"BUH"}},
		{"up to an amount", store.Alert{Threshold: 3000}, [][]offered{
			{{"BUH", 3001, great}, {"LIS", 3000, good}, {"LON", 2000, plain}},
			{{"BUH", 3000, great}, {"LIS", 3100, good}, {"LON", 2000, plain}},
			{{"BUH", 2000, great}, {"LIS", 3000, good}, {"LON", 2000, plain}},
		}, []string{"LIS", "BUH", "LIS"}},
		{"too little data and no fare say nothing", store.Alert{}, [][]offered{
			{{"BUH", 3000, good}, {"LIS", 3000, good}}, {{"BUH", 3000, thin}, {"LIS", 0, ""}},
			{{"BUH", 3000, good}, {"LIS", 3000, good}},
		}, []string{"BUH LIS", "", ""}},
		{"nor with news of another", store.Alert{}, [][]offered{
			{{"BUH", 3000, good}}, {{"BUH", 3000, thin}, {"LIS", 3000, good}},
			{{"BUH", 3000, good}, {"LIS", 3000, good}},
		}, []string{"BUH", "LIS", ""}},
		{"too dear is not met, with too little data too", store.Alert{Threshold: 3000}, [][]offered{
			{{"BUH", 3000, good}}, {{"BUH", 3500, thin}}, {{"BUH", 3000, good}},
		}, []string{"BUH", "", "BUH"}},
		{"what has left the deals is forgotten", store.Alert{}, [][]offered{
			{{"BUH", 3000, good}, {"LIS", 3000, good}}, {{"LIS", 3000, good}},
			{{"BUH", 3000, good}, {"LIS", 3000, good}},
		}, []string{"BUH LIS", "", "BUH"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newTrip(t)
			toAnywhere(h, "ada", c.alert)
			mails := 0
			for day, all := range c.days {
				leaveDeals(h.Fixture, "MIL", all...)
				for again := range 2 {
					sent, err := h.Sender().Work(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					mails += sent.Sent
					want := 0
					if again == 0 && c.want[day] != "" {
						want = 1
						if cities, subject := h.mailed("ada"); strings.Join(cities, " ") != c.want[day] {
							t.Errorf("day %d: told of %v in %q, want %s", day, cities, subject, c.want[day])
						}
					}
					if sent.Sent != want || sent.Settled != 1 {
						t.Errorf("day %d: %+v, want %d sent", day, sent, want)
					}
					leaveDeals(h.Fixture, "MIL", all...)
				}
				h.Work(notify.Result{Settled: 1})
				h.Add(24 * time.Hour)
			}
			if got := h.Mailed()["ada"]; got != mails {
				t.Errorf("%d mails, %d were sent", got, mails)
			}
		})
	}
}

func TestAnywhereOncePerDay(t *testing.T) {
	h := newTrip(t)
	a := toAnywhere(h, "ada", store.Alert{})
	step := func(want string, days int, all ...offered) {
		t.Helper()
		h.Add(time.Duration(24*days) * time.Hour)
		leaveDeals(h.Fixture, "MIL", all...)
		before := h.Mailed()["ada"]
		if _, err := h.Sender().Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		cities, _ := h.mailed("ada")
		if h.Mailed()["ada"] == before {
			cities = nil
		}
		if got := strings.Join(cities, " "); got != want {
			t.Errorf("told of %q, want %q", got, want)
		}
	}
	const good = verdict.Good
	step("BUH", 1, offered{"BUH", 3000, good})
	step("", 0, offered{"BUH", 3000, good}, offered{"LIS", 2000, good})
	step("LIS", 1, offered{"BUH", 3000, good}, offered{"LIS", 2000, good})
	change := func(how func(*store.Alert)) {
		t.Helper()
		if _, err := h.Alerts().Change(t.Context(), a.Ref(), a.Subscriber, how); err != nil {
			t.Fatal(err)
		}
	}
	change(func(a *store.Alert) { a.Threshold = 2500 })
	step("", 0, offered{"BUH", 3000, good}, offered{"LIS", 2000, good})
	step("LIS", 1, offered{"BUH", 3000, good}, offered{"LIS", 2000, good})
	change(func(a *store.Alert) { a.Paused = store.UntilResumed })
	step("", 1, offered{"BUH", 2000, good}, offered{"LIS", 4000, good})
	change(func(a *store.Alert) { a.Paused = 0 })
	step("LIS BUH", 1, offered{"BUH", 2000, good}, offered{"LIS", 1900, good})
}

func TestAnywhereTellsNothingUntrue(t *testing.T) {
	day := fare.DayOf(notifytest.Today)
	one := func(city fare.City, d deals.Deal, nonStop ...deals.Deal) deals.Entry {
		e := deals.Entry{Destination: city, AsOf: day, Observations: 400, Any: deals.Fares{Route: []deals.Deal{d}}}
		if len(nonStop) > 0 {
			e.NonStop = &deals.Fares{Route: nonStop}
		}
		return e
	}
	departed := dealAt(day, 2000, verdict.Great, 0)
	departed.Fare.Depart = day + 1
	for _, c := range []struct {
		name  string
		alert store.Alert
		entry deals.Entry
		later int // days from the refresh to the sender's run
		want  int
	}{
		{"fresh", store.Alert{}, one("BUH", dealAt(day, 2000, verdict.Great, 0)), 0, 1},
		{"found six days before", store.Alert{}, one("BUH", dealAt(day, 2000, verdict.Great, 6)), 0, 1},
		{"found eight days before", store.Alert{}, one("BUH", dealAt(day, 2000, verdict.Great, 8)), 0, 0},
		{"found a week before, sent late", store.Alert{}, one("BUH", dealAt(day, 2000, verdict.Great, 6)), 2, 0},
		{"departed since", store.Alert{}, one("BUH", departed), 2, 0},
		{"news of eight days before", store.Alert{}, one("BUH", dealAt(day, 2000, verdict.Great, 0)), 8, 0},
		{"asked for after the refresh", store.Alert{Since: day + 1}, one("BUH", dealAt(day, 2000, verdict.Great, 0)),
			1, 0},
		{"stops are not known", store.Alert{Trip: store.Trip{Nonstop: true}},
			one("BUH", dealAt(day, 2000, verdict.Great, 0)), 0, 0},
		{"non-stop is dear", store.Alert{Trip: store.Trip{Nonstop: true}},
			one("BUH", dealAt(day, 2000, verdict.Great, 0), dealAt(day, 7000, verdict.Expensive, 0)), 0, 0},
		{"non-stop is cheap", store.Alert{Trip: store.Trip{Nonstop: true}},
			one("BUH", dealAt(day, 2000, verdict.Expensive, 0), dealAt(day, 2500, verdict.Good, 0)), 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newTrip(t)
			since := c.alert.Since
			a := toAnywhere(h, "ada", c.alert)
			if since > 0 {
				if _, err := h.Alerts().Change(t.Context(), a.Ref(), a.Subscriber,
					func(a *store.Alert) { a.Since = since }); err != nil {
					t.Fatal(err)
				}
			}
			putDeals(h.Fixture, "MIL", deals.Origin{Entries: []deals.Entry{c.entry}})
			h.Add(time.Duration(24*c.later) * time.Hour)
			if _, err := h.Sender().Work(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := h.Mailed()["ada"]; got != c.want {
				t.Errorf("%d mails, want %d", got, c.want)
			}
		})
	}
}

func TestAnywhereLists(t *testing.T) {
	h := newTrip(t)
	toAnywhere(h, "ada", store.Alert{Threshold: 5000, Area: "150"})
	var all []offered
	for i, city := range strings.Fields("AMS ATH BCN BER BRU BUH CPH DUB LIS LON MAD PAR") {
		all = append(all, offered{fare.City(city), fare.Cents(4500 - 100*i), verdict.Good})
	}
	leaveDeals(h.Fixture, "MIL", all...)
	h.Work(notify.Result{Sent: 1, Settled: 1})
	if cities, subject := h.mailed("ada"); strings.Join(cities, " ") != "PAR MAD LON LIS DUB CPH BUH BRU BER BCN" ||
		!strings.Contains(subject, "12 destinazioni") || !strings.Contains(h.Mails()[0].Text, "altre 2 destinazioni") {
		t.Errorf("%v in %q:\n%s", cities, subject, h.Mails()[0].Text)
	}
}

func TestAnywhereInAMonth(t *testing.T) {
	h := newTrip(t)
	today := h.Today()
	soon, later := dealAt(today, 3000, verdict.Good, 0), dealAt(today, 4000, verdict.Good, 0)
	later.Fare.Depart += 60
	month := func(day fare.Day) store.Alert {
		first := day - fare.Day(day.Time().Day()-1)
		return store.Alert{Trip: store.Trip{From: first, To: first + 27, Month: true}}
	}
	toAnywhere(h, "later", month(later.Fare.Depart))
	toAnywhere(h, "none", month(later.Fare.Depart+60))
	putDeals(h.Fixture, "MIL", deals.Origin{Entries: []deals.Entry{{Destination: "LON", AsOf: today, Observations: 400,
		Any: deals.Fares{Route: []deals.Deal{soon}, Months: []deals.Deal{soon, later}}}}})
	h.Work(notify.Result{Sent: 1, Settled: 1})
	h.WantMailed("later")
	if text := h.Mails()[0].Text; !strings.Contains(text, "40,00") || !strings.Contains(text, "&mese=") {
		t.Error(text)
	}
}

type refusingAlerts struct{ store.Table }

func (r refusingAlerts) Write(ctx context.Context, ops ...store.Op) error {
	if slices.ContainsFunc(ops, func(op store.Op) bool { return strings.HasPrefix(op.Item.Key.Partition, "ALERTS#") }) {
		return store.ErrUnavailable
	}
	return r.Table.Write(ctx, ops...)
}

func TestAnotherListIsAnotherMessage(t *testing.T) {
	again := 0
	for n := 0; ; n++ {
		h := newTrip(t)
		toAnywhere(h, "ada", store.Alert{})
		texts := map[string]string{}
		h.Carrier.Before = func(m mail.Message) error {
			if was, sent := texts[m.ID]; sent && was != m.Text {
				t.Errorf("call %d: %s was\n%s\nand then\n%s", n, m.ID, was, m.Text)
			}
			texts[m.ID] = m.Text
			return nil
		}
		leaveDeals(h.Fixture, "MIL", offered{"BUH", 3000, verdict.Good})
		sound := h.Table
		faulty := storetest.NewFaulty(refusingAlerts{sound})
		faulty.DieAt(n, storetest.After)
		h.Table = faulty
		_, _ = h.Sender().Work(t.Context())
		h.Table = sound
		h.Add(10 * time.Minute)
		for _, wait := range []time.Duration{0, 24 * time.Hour} {
			h.Add(wait)
			leaveDeals(h.Fixture, "MIL", offered{"BUH", 3000, verdict.Good}, offered{"LIS", 2000, verdict.Good})
			if _, err := h.Sender().Work(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		all := ""
		for _, text := range texts {
			all += text
		}
		if !strings.Contains(all, "a=BUH") || !strings.Contains(all, "a=LIS") {
			t.Errorf("call %d: a notification is missing:\n%s", n, all)
		}
		if strings.Count(all, "a=BUH") > 1 {
			again++
		}
		if faulty.Calls() <= n {
			break
		}
	}
	if again == 0 {
		t.Error("no process died between sending and recording: that shows nothing")
	}
}
