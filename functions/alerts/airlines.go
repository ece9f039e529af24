package alerts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/published"
	"verdetto/shared/store"
)

// An alert can be limited to some airlines, or to all others.

func (c *condition) setAirlines(name, value string) *fault {
	var err error
	only, except := value, ""
	if name == "withoutAirline" {
		if c.trip.Airlines != "" {
			return &fault{field: name, text: "not_both", fill: []any{"Other", "airline"}}
		}
		only, except = "", value
	}
	if c.trip.Airlines, err = published.ParseAirlines(only, except, name, name); err != nil {
		f := &fault{field: name, text: "airline"}
		if similar := airlines.Suggest(value, maxSimilar); len(similar) > 0 {
			f.text, f.fill = "airline_similar", []any{"Similar", strings.Join(similar, ", ")}
		}
		return f
	}
	return nil
}

const maxSimilar = 3

// checkAirlines refuses an alert that could never send a message because no current fare of the
// route is of its airlines. If no current fare is known at all, the alert is accepted.
func (s *Service) checkAirlines(ctx context.Context, p pendingSubscription) ([]fault, error) {
	wanted := p.trip.Airlines
	if wanted == "" || p.route.Destination == store.Anywhere {
		return nil, nil
	}
	r := answer.NewUnrecorded(store.Fares{Table: s.Alerts.Table}, s.Now, s.Log)
	seen, known, err := r.Airlines(ctx, fare.Series{Route: p.route, Trip: p.trip.Nights}, p.trip.Nonstop)
	if err != nil || !known || slices.ContainsFunc(seen, wanted.Include) {
		return nil, err
	}
	name := "airline"
	if _, except := wanted.List(); except {
		name = "withoutAirline"
	}
	faults := []fault{{field: name, text: "airline_unnamed"}}
	if len(seen) > 0 {
		var names []string
		for _, a := range seen {
			names = append(names, fmt.Sprintf("%s (%s)", airlines.Name(a), a))
		}
		faults = []fault{{name, "airline_not_here", []any{"Airlines", strings.Join(names, ", ")}, nil}}
	}
	return faults, refusal(faults)
}
