package alerts

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/store"
)

// checkAirlines accepts any airlines if no current fare of the route is known.
func (s *Service) checkAirlines(ctx context.Context, r request) ([]fault, error) {
	wanted := r.Trip.Airlines
	if wanted == "" || r.Route.Destination == store.Anywhere {
		return nil, nil
	}
	reader := answer.NewUnrecorded(store.Fares{Table: s.Alerts.Table}, s.Now, s.Log)
	seen, known, err := reader.Airlines(ctx, fare.Series{Route: r.Route, Trip: r.Trip.Nights}, r.Trip.Nonstop)
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
