package departures

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

// alertMonday is the first day on which the panels (observed fares) of these tests have alerts.
const alertMonday = fare.Day(20003)

// watchedPanel returns a panel (observed fares) of one route: earlier departures at a constant
// price of 100, and the given departures. Each given departure is seen daily from alertMonday until
// 14 days before it leaves. The first leaves 42 days after alertMonday, the second 43 days after,
// and so on.
func watchedPanel(t *testing.T, more string, departures ...func(day int) string) *Trips {
	t.Helper()
	var panel strings.Builder
	panel.WriteString(header + "\n")
	for day := alertMonday - 14; day < alertMonday; day++ {
		for departs := alertMonday; departs < alertMonday+4; departs++ {
			panel.WriteString(fareLine("AAA,BBB", day, departs, "100"))
		}
	}
	for i, price := range departures {
		for day := range 29 + i {
			if p := price(day); p != "" {
				panel.WriteString(fareLine("AAA,BBB", alertMonday+fare.Day(day), alertMonday+fare.Day(42+i), p))
			}
		}
	}
	return read(t, panel.String()+more)
}

func fareLine(route string, seen, departs fare.Day, price string) string {
	return route + "," + seen.String() + "," + departs.String() + "," + price + ",EUR\n"
}

// dips returns a price of 100, of 80 on a single day, and of 120 at the deadline. level returns 100
// on all days.
func dips(day int) string {
	return map[int]string{20: "80", 28: "120"}[day] + map[bool]string{true: "100"}[day != 20 && day != 28]
}

func level(int) string { return "100" }

func runAlerts(t *testing.T, panel *Trips, o Options) AlertReport {
	t.Helper()
	r, err := RunAlerts(t.Context(), panel, o)
	if err != nil {
		t.Fatal(err)
	}
	written(t, r)
	return r
}

// TestAlertsByHand: the fare of one departure is 20 % lower for a day and 20 % higher at the
// deadline; the fare of the other departure is constant. Alerts are created for each departure on
// three Mondays.
func TestAlertsByHand(t *testing.T) {
	r := runAlerts(t, watchedPanel(t, "", dips, level), Options{})
	if r.Alerts != 6 || r.Departures != 2 || r.Routes != 1 || r.Unjudged != 0 || r.Unwatched != 0 || r.Days != 21.5 {
		t.Errorf("%+v", r)
	}
	means := func(told, messages, again, still, once, random, deadline float64) [7]float64 {
		return [7]float64{told, messages, again, still, once, random, deadline}
	}
	const none = -1 // the alert sends no messages, so no share of them can be computed
	dip := means(.5, .5, 1, 0, -.1, -.1, (80./120-1)/2)
	want := map[string][7]float64{
		"threshold": dip, "verdict": dip, "drop of 10 %": dip,
		"low of 30 days": means(0, 0, none, none, .1, .1, 0), // at the price of 80 only 20 days of prices are known
		// The fare changes to 80, to 100 and to 120. No later fare is known after 120, on the
		// deadline. The fare of 80 is 100 on the next day.
		"change": means(.5, 1.5, 2./3, .5, -.1, -.1, (80./120-1)/2),
		// Of the 129 observations, 6 are the last of their alert, so 123 are followed by another
		// fare. It is dearer 6 times: 3 times it rises to 120, and 3 times from 80 to 100.
		noAlert: means(1, 21.5, 123./129, 117./123, .1, .1, 0),
		bestDay: means(0, 0, none, none, -.1, -.1, (80./120-1)/2),
	}
	for _, k := range r.Prices[0].Kinds {
		got := means(k.WithMessage.Mean, k.Messages.Mean, none, none, k.AtOnce.Mean, k.Random.Mean, k.Deadline.Mean)
		if k.SeenNext != nil {
			got[2], got[3] = k.SeenNext.Mean, k.Still.Mean
		}
		close := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
		if diff := cmp.Diff(want[k.Name], got, close); diff != "" {
			t.Errorf("%s: %s", k.Name, diff)
		}
		// At the next refresh the price is again 100, as when the alert was created.
		if late := map[bool]float64{true: .1}[k.Name == noAlert ||
			k.Name == "low of 30 days"]; math.Abs(k.Later.Mean-late) > 1e-12 {
			t.Errorf("%s: %v a look late", k.Name, k.Later.Mean)
		}
		// All alerts differ in the number of days to the deadline. So each alert is compared only
		// with its own wait.
		if k.SameWaits.Mean != 0 {
			t.Errorf("%s: %v against the same wait", k.Name, k.SameWaits.Mean)
		}
		delete(want, k.Name)
	}
	if len(want) > 0 {
		t.Errorf("not replayed: %v", want)
	}
}

// TestWaitsOfOthers: alerts on two departures of two routes have the same number of days to the
// deadline. The alert with a message waits 20 days, for a price of 80. The alert without a message
// waits 28 days. After these waits the first departure costs 80 or 120, the second 100.
func TestWaitsOfOthers(t *testing.T) {
	var other strings.Builder
	for day := alertMonday - 14; day <= alertMonday+28; day++ {
		departs := alertMonday + 3
		if day >= alertMonday {
			departs = alertMonday + 42
		}
		other.WriteString(fareLine("CCC,DDD", day, departs, "100"))
	}
	for _, k := range runAlerts(t, watchedPanel(t, other.String(), dips), Options{}).Prices[0].Kinds {
		want := (80./100 - 1) / 2
		if k.Name == noAlert || k.Name == "low of 30 days" { // no alert sends a message
			want = 0
		}
		if k.Name != "change" && k.Name != bestDay &&
			math.Abs(k.SameWaits.Mean-want) > 1e-12 { // bestDay buys the constant fare at once
			t.Errorf("%s: %v against the same waits, want %v", k.Name, k.SameWaits.Mean, want)
		}
	}
}

// TestRouteAlertsByHand: the cheapest fare of a route is 20 % lower for a day and 20 % higher at
// the deadline. Only one alert is created: on the two Mondays before, the history is too short for
// a verdict.
func TestRouteAlertsByHand(t *testing.T) {
	var panel strings.Builder
	panel.WriteString(header + "\n")
	for day := -14; day <= 56; day++ {
		price := map[int]string{20: "80", 56: "120"}[day] + map[bool]string{true: "100"}[day != 20 && day != 56]
		panel.WriteString(fareLine("AAA,BBB", alertMonday+fare.Day(day), alertMonday+100, price))
		panel.WriteString(fareLine("AAA,BBB", alertMonday+fare.Day(day), alertMonday+90, "150"))
	}
	trips := read(t, panel.String())
	r := runAlerts(t, trips, Options{Ask: RouteAlerts})
	if r.Alerts != 1 || r.Routes != 1 || r.Unjudged != 2 || r.Unwatched != 0 || r.Days != 56 {
		t.Errorf("%+v", r)
	}
	dip := [6]float64{1, 1, 0, -.2, -.2, 80./120 - 1}
	want := map[string][6]float64{ // told, messages, still there, at once, random day, no alert
		"threshold": {1, 1, 1, 0, 0, 100./120 - 1}, // the threshold is 100, the usual price
		"verdict":   dip, "low of 30 days": dip, "drop of 10 %": dip,
		"change": {1, 3, .5, -.2, -.2, 80./120 - 1},
		noAlert:  {1, 56, 53. / 55, .2, .2, 0},
	}
	for _, k := range r.Prices[0].Kinds {
		if k.Name == bestDay {
			continue
		}
		got := [6]float64{k.WithMessage.Mean, k.Messages.Mean, k.Still.Mean, k.AtOnce.Mean, k.Random.Mean,
			k.Deadline.Mean}
		if diff := cmp.Diff(want[k.Name], got,
			cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })); diff != "" {
			t.Errorf("%s: %s", k.Name, diff)
		}
	}
}

// TestRoutesOfYears replays alerts on a panel (observed fares) that covers more than fare.MaxLead
// days and has fares of departures more than fare.MaxLead days ahead.
func TestRoutesOfYears(t *testing.T) {
	var panel strings.Builder
	panel.WriteString(header + "\n")
	const days = 3*fare.MaxLead + 10
	for day := range fare.Day(days) {
		panel.WriteString(fareLine("AAA,BBB", alertMonday+day, alertMonday+day+50, "100"))
		panel.WriteString(fareLine("AAA,BBB", alertMonday+day, alertMonday+day+fare.MaxLead+1, "1"))
	}
	trips := read(t, panel.String())
	r := runAlerts(t, trips, Options{Ask: RouteAlerts})
	if asked := (days-1)/7 + 1 - alertWeeks; r.Unjudged != 2 || r.Alerts != asked-2 {
		t.Errorf("%d alerts, %d unjudged; want %d in all, of which 2 after less than 8 days", r.Alerts,
			r.Unjudged, asked)
	}
	for _, p := range r.Prices {
		for _, k := range p.Kinds {
			if k.AtOnce.Mean != 0 {
				t.Errorf("%s, %s: %v, where all fares are alike", p.Name, k.Name, k.AtOnce.Mean)
			}
		}
	}
}

// TestAlertsThatAreAsked: the replay creates an alert only on the first day of a week, with enough
// days to the departure, and with enough fares for a verdict. The departure must be seen until the
// deadline.
func TestAlertsThatAreAsked(t *testing.T) {
	lost := func(day int) string { return map[bool]string{true: "100"}[day < 15] } // last seen 14 days before the alert's deadline
	late := func(day int) string { return map[bool]string{true: "100"}[day < 23] } // last seen 6 days before the alert's deadline
	var fresh strings.Builder                                                      // a route without earlier fares
	for day := range fare.Day(29) {
		fresh.WriteString(fareLine("CCC,DDD", alertMonday+day, alertMonday+42, "100"))
	}
	for _, c := range []struct {
		name                        string
		panel                       *Trips
		o                           Options
		alerts, unjudged, unwatched int
	}{
		{"watched", watchedPanel(t, "", level), Options{}, 3, 0, 0},
		{"from the second Monday on", watchedPanel(t, "", level), Options{From: alertMonday + 1}, 2, 0, 0},
		{"lost before the deadline", watchedPanel(t, "", lost, level), Options{}, 3, 0, 3},
		{"last seen within a week of the deadline", watchedPanel(t, "", late, level), Options{}, 6, 0, 0},
		{"a deadline after the end of the panel", watchedPanel(t, "", level, level),
			Options{To: alertMonday + 28}, 3, 0, 0},
		{"a refresh each week", watchedPanel(t, "", level), Options{Cycle: 7}, 3, 0, 0},
		{"a route that nothing is known of", watchedPanel(t, fresh.String(), level), Options{}, 4, 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runAlerts(t, c.panel, c.o)
			if got, want := [3]int{r.Alerts, r.Unjudged, r.Unwatched}, [3]int{c.alerts, c.unjudged,
				c.unwatched}; got != want {
				t.Errorf("alerts, unjudged and unwatched %v, want %v", got, want)
			}
		})
	}
	if _, err := RunAlerts(t.Context(), watchedPanel(t, "", lost), Options{}); err == nil ||
		!strings.Contains(err.Error(), "no departure was watched") {
		t.Errorf("a panel of nothing to follow: %v", err)
	}
}

// TestAlertsBetweenTheirReferences: on shuffled prices, an alert finds a low fare that is gone on
// the next day. On random walks, buying on the day of a message is no better than buying on other
// days. No alert beats the policy that knows the cheapest day.
func TestAlertsBetweenTheirReferences(t *testing.T) {
	r := runAlerts(t, invent(5, 12, 60, 150, 70, walking), Options{})
	if r.Alerts < 500 {
		t.Fatalf("%d alerts", r.Alerts)
	}
	for _, p := range r.Prices {
		best := p.Kinds[len(p.Kinds)-1]
		for _, k := range p.Kinds[:len(p.Kinds)-1] {
			if best.Name != bestDay || k.AtOnce.Mean < best.AtOnce.Mean || k.Random.Mean < best.Random.Mean ||
				k.Deadline.Mean < best.Deadline.Mean {
				t.Errorf("%s: %s %+v beats the cheapest look %+v", p.Name, k.Name, k.AtOnce, best.AtOnce)
			}
			switch {
			case k.Name == noAlert || k.Name == "change":
			case p.Name == "shuffled":
				if k.AtOnce.Mean > -.05 || k.SameWaits.Mean > -.05 || k.Random.Mean > -.05 ||
					k.Random.Interval == nil || k.Random.Interval.High > 0 {
					t.Errorf("%s on shuffled prices: %+v, %+v against a random day", k.Name, k.AtOnce, k.Random)
				}
			case math.Abs(k.Random.Mean) > .03 || math.Abs(k.SameWaits.Mean) > .01:
				t.Errorf("%s on a walk: %+v against a random day, %+v against the same waits", k.Name, k.Random,
					k.SameWaits)
			}
		}
	}
}
