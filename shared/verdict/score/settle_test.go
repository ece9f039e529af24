package score

import (
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

func TestAnswersNotCompared(t *testing.T) {
	now := Round{Day: 16802, Rule: Rule, Currency: fare.EUR}
	before, other := now, now
	before.Rule--
	other.Currency = fare.Currency{'U', 'S', 'D'}
	for why, r := range map[Reason]Round{RuleChanged: before, Currency: other, Stale: now} {
		r.Route = &RouteAnswer{Price: 4999, Age: StaleDays}
		r.Departs = []DepartureAnswer{{Depart: 16840, Price: 4999, Age: StaleDays}}
		c := new(Counts)
		r.settle(Source{Day: 16900, State: &departure.State{Currency: fare.EUR}}, c)
		if c.Rounds != 1 || c.Route.Missed[why] != 1 || c.Horizons[0].Missed[why] != 1 || c.Route.Compared() != 0 {
			t.Errorf("%v: %+v", why, c.Route)
		}
	}
}
