package alerts_test

import (
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict/departure"
)

// seen stores a departure of a route for each airline; "" is an unknown airline.
func seen(t *testing.T, p *fixture.Subscriptions, today fare.Day, route string, codes ...string) {
	t.Helper()
	s := departure.State{AsOf: today, Currency: fare.EUR, PerEuro: 1}
	for i, code := range codes {
		l := departure.Live{Depart: today + 30 + fare.Day(i), Price: 4000, Found: today.Time().Unix()}
		l.Flight.Airline, _ = fare.ParseAirline(code)
		s.Live = append(s.Live, l)
	}
	r, err := fare.ParseRoute(route)
	if err == nil {
		err = store.Fares{Table: p.Alerts.Alerts.Table}.PutDepartures(t.Context(), fare.Series{Route: r},
			store.Departures{Any: store.Versioned{Data: s.Encode()}}, store.Contribution{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestAirlineAlerts(t *testing.T) {
	t.Parallel()
	p, clock := subscriptions(t)
	today := fare.DayOf(clock.Now())
	seen(t, p, today, "MIL-BUH", "W6", "W6", "", "FR")
	seen(t, p, today, "MIL-PAR", "", "")
	const ada = "ada@example.com"
	ask := func(route, more string) fixture.Reply {
		return p.Do("POST", "/v1/alerts", `{"route":"`+route+`","email":"`+ada+`","threshold":50`+more+`}`,
			"Content-Type", "application/json", "Accept-Language", "en")
	}
	for _, c := range []struct{ route, fields, want string }{
		{"MIL-BUH", `,"airline":"Ryanair"`, "only Ryanair and Ryanair UK"},
		{"MIL-BUH", `,"airline":"fr"`, "only Ryanair"},
		{"MIL-BUH", `,"withoutAirline":"FR"`, "without Ryanair"},
		{"MIL-LON", `,"airline":"BA"`, "only British Airways"}, // no fare of the route is known
		{"MIL-*", `,"withoutAirline":"FR,W6"`, "without Ryanair and Wizz Air"},
	} {
		ask(c.route, c.fields).Want(t, 202)
		mails := p.Received(ada)
		m := mails[len(mails)-1]
		if !strings.Contains(m.Text, c.want+".") && !strings.Contains(m.Text, c.want+"\n") &&
			!strings.Contains(m.Text, c.want) {
			t.Errorf("%s: the mail lacks %q:\n%s", c.fields, c.want, m.Text)
		}
		p.Form(p.Link(m), "", "Accept-Language", "en").Want(t, 200, c.want)
	}
	all, err := p.Alerts.Alerts.BySubscriber(t.Context(), fixture.Subscriber(ada))
	if err != nil || len(all) != 5 {
		t.Fatalf("%d alerts: %+v %v", len(all), all, err)
	}
	p.Do("GET", p.ManageLink(ada), "", "Accept-Language", "en").Want(t, 200, "only British Airways")
	p.Do("GET", p.ManageLink(ada)+"&format=json", "").Want(t, 200, `"airline": "FR,RK"`, `"withoutAirline": "FR,W6"`)

	for _, c := range []struct{ route, fields, want string }{
		{"MIL-BUH", `,"airline":"U2"`, "the current fares of this route are of Wizz Air (W6), Ryanair (FR)"},
		{"MIL-BUH", `,"withoutAirline":"Ryanair,Wizz Air"`, "leaves no fare to wait for"},
		{"MIL-PAR", `,"airline":"U2"`, "the source does not name the airlines of this route"},
		{"MIL-BUH", `,"airline":"Rynar"`, "similar names are Ryanair"},
		{"MIL-BUH", `,"airline":"Zzzz"`, "an airline that we do not know"},
		{"MIL-BUH", `,"airline":"FR","withoutAirline":"W6"`, "does not go with airline"},
		{"MIL-BUH", `,"airline":5`, "is not a text"},
	} {
		ask(c.route, c.fields).Want(t, 400, c.want)
	}
	page := p.Form("/v1/alerts", "route=MIL-BUH&email="+ada+"&airline=U2", "Accept", "text/html", "Accept-Language", "it")
	page.Want(t, 400, "Su questa rotta ora vediamo solo prezzi di Wizz Air (W6), Ryanair (FR)", "Solo queste compagnie",
		`name="airline"`)
	for _, l := range i18n.Languages() {
		if text := notify.TripText(store.Trip{Airlines: "FR"}, l); !strings.Contains(text, "Ryanair") {
			t.Errorf("%s: %q", l.Code, text)
		}
	}
}
