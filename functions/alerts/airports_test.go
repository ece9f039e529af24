package alerts_test

import (
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
)

// An alert for airports is stored apart from the alert for their cities. To anywhere, the answer
// says that the alert covers the whole city.
func TestAirportAlerts(t *testing.T) {
	t.Parallel()
	p, _ := subscriptions(t)
	const ada = "ada@example.com"
	p.Subscribe("MIL-LON", ada, "50")
	p.Subscribe("bgy-STN", ada, "40")
	p.Subscribe("MIL-LHR", ada, "45")
	mails := p.Received(ada)
	for i, want := range []string{"Milano–Londra", "Bergamo–Stansted", "Milano–Heathrow"} {
		if !strings.Contains(mails[i].Subject, want) {
			t.Errorf("the mail is called %q, want %s", mails[i].Subject, want)
		}
	}
	alerts, err := p.Alerts.Alerts.BySubscriber(t.Context(), fixture.Subscriber(ada))
	if err != nil || len(alerts) != 3 {
		t.Fatalf("%+v %v", alerts, err)
	}
	got := map[string]fare.Cents{}
	for _, a := range alerts {
		got[a.Route.String()+" "+a.Trip.Airports.String()] = a.Threshold
	}
	if got["MIL-LON "] != 5000 || got["MIL-LON BGY-STN"] != 4000 || got["MIL-LON -LHR"] != 4500 {
		t.Errorf("alerts %v", got)
	}
	p.Do("GET", p.ManageLink(ada), "", "Accept-Language", "en").Want(t, 200, "Bergamo–Stansted")

	a := p.Ask("BGY-*", "eve@example.com", "")
	a.Want(t, 202, "The alert covers all airports of Milan (MIL).")
	if a = p.Ask("MIL-*", "eve@example.com", ""); strings.Contains(a.Body, "all airports") {
		t.Errorf("of the city: %s", a.Body)
	}
	p.Ask("PMF-LON", ada, "").Want(t, 202) // the source may name an airport that our tables do not list
}

func TestAirportMarks(t *testing.T) {
	t.Parallel()
	p, _ := subscriptions(t)
	p.Subscribe("MIL-LON", "ada@example.com", "50")
	p.Subscribe("BGY-STN", "ada@example.com", "40")
	p.Subscribe("MIL-BUH", "ada@example.com", "40")
	marks, err := p.Alerts.Alerts.SubscribedRoutes(t.Context(), "MIL")
	if err != nil || len(marks) != 2 || len(marks[0].Pairs) != 0 || len(marks[1].Pairs) != 1 ||
		marks[1].Pairs[0].String() != "MIL-LON@BGY-STN" || len(marks[1].Trips) != 1 {
		t.Errorf("%+v %v", marks, err)
	}
}
