package published_test

import (
	"testing"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n/i18ntest"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

func TestProblem_InAllLanguages(t *testing.T) {
	t.Parallel()
	toy := i18ntest.Toy(t)
	for _, why := range []answer.Reason{answer.NotCovered, answer.NoRoutes, answer.NoReturns, answer.NoReturnsFrom,
		answer.NoFare, answer.NoAirline, answer.NoFareOn, answer.StopsUnknown} {
		e := &answer.NoAnswer{Reason: why, NonStop: true, Airlines: fare.OnlyAirlines([]fare.Airline{{'F', 'R'}})}
		e.Series.Route = fare.Route{Origin: "MIL", Destination: "BUH"}
		e.Series.Trip = fare.Return15
		e.Origin, _ = places.Get("MIL")
		e.Destination, _ = places.Get("BUH")
		e.Date = 20_000
		for _, e.Collection = range []*verdict.Collection{nil, {}} {
			p := published.Problem(e).(*httpapi.Problem)
			i18ntest.Text(t, p.In(toy).Detail, "Milan", "MIL", "Bucharest", "BUH", "Ryanair")
		}
	}
}
