package departures

import (
	"math"
	"testing"
)

// TestEvidenceAlerts checks the claims of docs/evidence.md about buying when an alert sends a
// message, on recorded fares.
func TestEvidenceAlerts(t *testing.T) {
	for _, c := range []struct {
		name, file string
		o          Options
		alerts     int
		told       float64 // approximate share of verdict alerts with a message
		// once, late and random are the expected results of buying at a verdict alert's message:
		// "saves", "costs", or "" if the interval contains 0. once compares with buying at once.
		// late makes the same comparison for buying one refresh after the message. random compares
		// with buying on a random day.
		once, late, random string
		waits, walkWithin  float64 // against the same waits: at most; on a walk: at most this far from 0
	}{
		{"daily", "eu_wizzair_2015_2016_full", Options{}, 22_244, .74, "", "", "", -.05, .015},
		{"weekly", "eu_wizzair_weekly", Options{Cycle: 7}, 18_690, .59, "costs", "costs", "", -.03, .015},
		{"the real source, 14 months", "travelpayouts_daily_2025_2026", Options{}, 8_291, .80, "", "", "saves",
			-.03, .015},
		{"Williams", "williams.nodates", Options{}, 43_492, .85, "", "costs", "saves", -.07, .015},
		{"routes, daily", "eu_wizzair_2015_2016_full", Options{Ask: RouteAlerts}, 202, .29, "", "", "saves",
			-.005, math.Inf(1)}, // no limit for a walk: too few alerts
		{"routes, weekly", "eu_wizzair_weekly", Options{Ask: RouteAlerts, Cycle: 7}, 82, .28, "", "", "", 0,
			math.Inf(1)},
		{"routes, the real source", "travelpayouts_daily_2025_2026", Options{Ask: RouteAlerts}, 2_325, .96,
			"saves", "saves", "saves", -.05, .03},
	} {
		t.Run(c.name, func(t *testing.T) {
			panel := recorded(t, c.file)
			r := runAlerts(t, panel, c.o)
			t.Log(figures(r))
			if r.Alerts != c.alerts {
				t.Errorf("%d alerts, want %d", r.Alerts, c.alerts)
			}
			verdict := func(prices int) AlertKind { return r.Prices[prices].Kinds[1] }
			were := verdict(0)
			if were.Name != "verdict" || math.Abs(were.WithMessage.Mean-c.told) > .01 {
				t.Errorf("%s: told %.3f, want %.2f", were.Name, were.WithMessage.Mean, c.told)
			}
			got := [3]string{beyondChance(were.AtOnce), beyondChance(were.Later), beyondChance(were.Random)}
			if want := [3]string{c.once, c.late, c.random}; got != want {
				t.Errorf("against buying at once, the same a look late, and against a random day it %q; want %q", got, want)
			}
			if were.SameWaits.Mean > c.waits || math.Abs(verdict(1).SameWaits.Mean) > c.walkWithin {
				t.Errorf("against the same waits %+.3f, on a walk %+.3f", were.SameWaits.Mean,
					verdict(1).SameWaits.Mean)
			}
			if shuffled := verdict(2); c.o.Ask != RouteAlerts && shuffled.SameWaits.Mean > 2*were.SameWaits.Mean {
				t.Errorf("shuffled prices give %+.3f, those of the panel %+.3f", shuffled.SameWaits.Mean,
					were.SameWaits.Mean)
			}
		})
	}
}

// beyondChance returns "saves" or "costs" for a change whose 95 % interval does not contain 0.
func beyondChance(e *Estimate) string {
	switch {
	case e.Interval == nil:
	case e.Interval.High < 0:
		return "saves"
	case e.Interval.Low > 0:
		return "costs"
	}
	return ""
}
