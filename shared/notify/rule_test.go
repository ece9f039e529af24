package notify

import (
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

func story(seen ...Observation) (h history) {
	for i, s := range seen {
		s.Day = fare.Day(100 + 7*i)
		h = h.add(s)
	}
	return h
}

func at(price fare.Cents) Observation       { return Observation{Price: price, Level: verdict.Fair} }
func level(level verdict.Level) Observation { return Observation{Price: 5000, Level: level} }
func thin(price fare.Cents) Observation {
	return Observation{Price: price, Level: verdict.Unjudged}
}

func shouldNotify(threshold fare.Cents, notified fare.Day, h history) bool {
	due, _ := dueOf(store.Alert{Threshold: threshold, Mailed: notified}, h)
	return due
}

func TestShouldNotify(t *testing.T) {
	for _, c := range []struct {
		name      string
		threshold fare.Cents
		notified  fare.Day
		history   history
		want      bool
	}{
		{"nothing seen", 5000, 0, nil, false},
		{"under", 5000, 0, story(at(4999)), true},
		{"at", 5000, 0, story(at(5000)), true},
		{"above", 5000, 0, story(at(5001)), false},
		{"under since the mail", 5000, 100, story(at(4000), at(4500), at(3000)), false},
		{"above since the mail and under again", 5000, 100, story(at(4000), at(5500), at(4500)), true},
		{"above before the mail only", 5000, 107, story(at(5500), at(4000), at(4500)), false},
		{"still above", 5000, 100, story(at(4000), at(5500), at(5400)), false},
		{"notified of this refresh", 5000, 114, story(at(4000), at(5500), at(4500)), false},
		{"threshold lowered under the price of the mail", 4000, 100, story(at(4500), at(3900)), true},
		{"mail older than what is remembered, cheap since", 5000, 3, story(at(4000), at(4500)), false},
		{"mail older than what is remembered, dear since", 5000, 3, story(at(6000), at(4500)), true},
		{"under, but too little data", 5000, 0, story(thin(4000)), false},
		{"too little data above, then under", 5000, 100, story(at(4000), thin(6000), at(4500)), true},
		{"too little data under, then under", 5000, 100, story(at(4000), thin(3000), at(4500)), false},
		{"caro, but under the threshold", 5000, 0, story(Observation{Price: 4000, Level: verdict.Expensive}), true},

		{"ottimo", 0, 0, story(level(verdict.Great)), true},
		{"buono", 0, 0, story(level(verdict.Good)), true},
		{"normale", 0, 0, story(level(verdict.Fair)), false},
		{"caro", 0, 0, story(level(verdict.Expensive)), false},
		{"no verdict", 0, 0, story(level(verdict.Unjudged)), false},
		{"buono since the mail, ottimo now", 0, 100, story(level(verdict.Good), level(verdict.Great)), false},
		{"normale since the mail, buono now", 0, 100,
			story(level(verdict.Great), level(verdict.Fair), level(verdict.Good)), true},
		{"no verdict since the mail, buono now", 0, 100,
			story(level(verdict.Great), level(verdict.Unjudged), level(verdict.Good)), false},
		{"notified by threshold when it was caro, by verdict now", 0, 100,
			story(level(verdict.Expensive), level(verdict.Good)), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := shouldNotify(c.threshold, c.notified, c.history); got != c.want {
				t.Errorf("notifies %v, want %v", got, c.want)
			}
		})
	}
}

func TestPaid(t *testing.T) {
	for _, c := range []struct {
		name string
		last fare.Cents
		saw  history
		want bool
	}{
		{"as paid", 0, story(at(5000)), false},
		{"under", 0, story(at(4999)), true},
		{"as told", 4500, story(at(4500), at(4500)), false},
		{"above what was told, under what was paid", 4500, story(at(4500), at(4800)), false},
		{"under what was told", 4500, story(at(4500), at(4400)), true},
		{"above what was paid, and under again", 4500, story(at(4500), at(5200), at(4800)), true},
	} {
		a := store.Alert{Kind: store.Paid, Threshold: 5000}
		if c.last > 0 {
			a.Mailed, a.State.LastPrice = 100, c.last
		}
		if got, _ := dueOf(a, c.saw); got != c.want {
			t.Errorf("%s: notifies %v", c.name, got)
		}
	}
}
