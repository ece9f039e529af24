package departures

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

// alertMonday is the first day of alerts in the panels of these tests.
const alertMonday = fare.Day(20003)

// watchedPanel returns a panel of a route with a known history at 100, and of the given departures.
// Each is seen daily from alertMonday until 14 days ahead. The first leaves 42 days after
// alertMonday, the next 43 and so on.
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

// dips costs 100, 80 for one day, and 120 at the deadline. level always costs 100.
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

// TestAlertsByHand: two departures, one of which is a fifth cheaper for a day and a fifth dearer at
// the deadline. Each gets alerts on three Mondays.
func TestAlertsByHand(t *testing.T) {
	r := runAlerts(t, watchedPanel(t, "", dips, level), Options{})
	if r.Alerts != 6 || r.Departures != 2 || r.Routes != 1 || r.Unjudged != 0 || r.Unwatched != 0 || r.Days != 21.5 {
		t.Errorf("%+v", r)
	}
	means := func(told, messages, again, still, once, random, deadline float64) [7]float64 {
		return [7]float64{told, messages, again, still, once, random, deadline}
	}
	const none = -1 // no messages to compute a share of
	dip := means(.5, .5, 1, 0, -.1, -.1, (80./120-1)/2)
	want := map[string][7]float64{
		"threshold": dip, "verdict": dip, "drop of 10 %": dip,
		"low of 30 days": means(0, 0, none, none, .1, .1, 0), // at its dip only 20 days are known
		"change":         means(.5, 1.5, 2./3, .5, -.1, -.1, (80./120-1)/2),
		// It moves to 80, 100 and 120; after 120 nothing is seen.
		noAlert: means(1, 21.5, 123./129, 117./123, .1, .1, 0),
		// Of 129 looks 6 are the last; 3 are followed by 120, and 3 by 100 after 80.
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
		// One look later the price is 100 instead of 80, as at once.
		if late := map[bool]float64{true: .1}[k.Name == noAlert ||
			k.Name == "low of 30 days"]; math.Abs(k.Later.Mean-late) > 1e-12 {
			t.Errorf("%s: %v a look late", k.Name, k.Later.Mean)
		}
		// No two alerts have as many days to the deadline, so the mean wait is the alert's own.
		if k.SameWaits.Mean != 0 {
			t.Errorf("%s: %v against the same wait", k.Name, k.SameWaits.Mean)
		}
		delete(want, k.Name)
	}
	if len(want) > 0 {
		t.Errorf("not replayed: %v", want)
	}
}

// TestWaitsOfOthers: alerts on two departures of two routes have as many days to the deadline. The
// one with a message waits 20 days for 80, the other 28. After these waits the first departure
// costs 80 or 120, the other 100.
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
		if k.Name == noAlert || k.Name == "low of 30 days" { // without a message
			want = 0
		}
		if k.Name != "change" && k.Name != bestDay &&
			math.Abs(k.SameWaits.Mean-want) > 1e-12 { // bestDay buys the constant fare at once
			t.Errorf("%s: %v against the same waits, want %v", k.Name, k.SameWaits.Mean, want)
		}
	}
}

// TestRouteAlertsByHand: a route's cheapest fare is a fifth cheaper for a day, and a fifth dearer
// at the deadline. There is one alert: on the two Mondays before, the history is too short.
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
	want := map[string][6]float64{ // told, messages, still there, against buying at once, a random day, no alert
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

// TestRoutesOfYears: a panel longer than fare.MaxLead, with fares of departures beyond
// fare.MaxLead.
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

// TestAlertsThatAreAsked: alerts need a Monday, enough lead time, a known route and looks up to the
// deadline.
func TestAlertsThatAreAsked(t *testing.T) {
	lost := func(day int) string { return map[bool]string{true: "100"}[day < 15] } // last seen 14 days before its deadline
	late := func(day int) string { return map[bool]string{true: "100"}[day < 23] } // 6 days before it
	var fresh strings.Builder                                                      // of a route without history
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

// TestAlertsBetweenTheirReferences: on shuffled prices an alert finds a low fare, which is gone the
// next day. On a walk the days of alerts are no better than others. No alert beats the cheapest
// look.
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
