// Package pricetrends answers GET /v1/price-trends: popular destinations from an origin and how
// their prices move. It also answers GET /v1, which describes the API. An answer reads one stored
// item of the origin, and the summary of the route if there is a destination. Start with Service.
package pricetrends

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

type Service struct {
	Trends *view.Reader
}

var (
	UnknownOrigin = httpapi.ProblemType{
		Status: http.StatusNotFound, Code: "origine-sconosciuta", Title: "No city or airport has that code or name",
	}
	UnknownDestination = httpapi.ProblemType{
		Status: http.StatusNotFound, Code: "destinazione-sconosciuta", Title: "No city or airport has that code or name",
	}
)

type input struct {
	Origin      string `query:"origin" required:"true" doc:"IATA code of a city or airport, or the name of a city in any of six languages. Three letters are read as a code first. Of an airport, and with a destination, the answer is about that airport: see airports. Else it is about the whole city: see wholeCities" example:"MIL"`
	Currency    string `query:"currency" default:"usd" pattern:"^([A-Za-z]{3})?$" patternDescription:"an ISO 4217 code of three letters" doc:"ISO 4217 code of the currency of all amounts" example:"eur"`
	Destination string `query:"destination" doc:"Only the route to this city or airport, with its weekly lows" example:"LON"`
	httpapi.LanguageInput
	httpapi.FieldsInput
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of an answer that you already have"`
}

func (s *Service) Register(api *httpapi.API) {
	httpapi.JSON(api, "price-trends", httpapi.JSONDoc{
		Summary: "Price trends and popular destinations from an origin",
		Description: "Returns the cheapest one-way economy fares for 1 adult from a city, by " +
			"destination, refreshed every 7 days. Destinations are ordered by popularity: the number of " +
			"fares observed in the last 400 days.",
		Problems: []httpapi.ProblemType{
			UnknownOrigin, UnknownDestination, httpapi.NotCovered, httpapi.UnknownCurrency, httpapi.SameCity,
		},
		Answer: view.Trends{},
	}, s.check, s.trends)
	s.registerIndex(api)
}

// check runs before the call counts toward the quota.
func (s *Service) check(ctx context.Context, in *input) error {
	rates, err := s.Trends.Rates(ctx)
	if err != nil {
		return err
	}
	if _, ok := rates.Rate(strings.ToUpper(in.Currency)); !ok {
		none := answer.NoRate("currency", strings.ToUpper(in.Currency), rates)
		for i, code := range none.Currencies {
			none.Currencies[i] = strings.ToLower(code)
		}
		return published.Problem(none)
	}
	origin, destination := find("origin", in.Origin).Means.City, find("destination", in.Destination).Means.City
	if origin != "" && origin == destination {
		p := httpapi.SameCity.Problem(
			fmt.Sprintf("%s and %s are both %s. Give two different cities.", in.Origin, in.Destination, origin),
		)
		p.Errors = []httpapi.Fault{{Name: "destination", Detail: "is the same city as origin"}}
		return p
	}
	return nil
}

func (s *Service) trends(ctx context.Context, in *input) (*httpapi.Tagged, error) {
	from, to := find("origin", in.Origin), find("destination", in.Destination)
	if from.Means.City == "" {
		return nil, unknownPlace(UnknownOrigin, from)
	}
	if in.Destination != "" && to.Means.City == "" {
		return nil, unknownPlace(UnknownDestination, to)
	}
	of := fare.Series{Route: fare.Route{Origin: from.Means.City, Destination: to.Means.City}}
	of.Airports = fare.Airports{From: from.Means.Of, To: to.Means.Of}
	t, err := s.Trends.Read(ctx, of, strings.ToUpper(in.Currency))
	if not := answer.Why(err); not != nil {
		return nil, notCovered(not)
	}
	published.NoteAirports(ctx, &t, from, to)
	if l := httpapi.Language(ctx); l != nil && err == nil {
		t.InLanguage(l.Code)
	}
	return httpapi.TagJSON(ctx, in.IfNoneMatch, t, err)
}

// find reads three letters as a code first, in either case, and otherwise as a name.
func find(parameter, query string) answer.Named {
	query = strings.TrimSpace(query)
	if code := strings.ToUpper(query); isCode(code) {
		return answer.Named{Parameter: parameter, Name: code, Means: places.ReadCode(code)}
	}
	return answer.Name(parameter, query)
}

func isCode(code string) bool {
	_, ok := places.CityOf(code)
	return ok
}

func unknownPlace(problem httpapi.ProblemType, asked answer.Named) error {
	p := problem.Problem(fmt.Sprintf(
		"%s: no city or airport with scheduled flights has the IATA code or the name %q. GET /v1/rotte "+
			"lists the covered routes.",
		asked.Parameter, asked.Name,
	))
	p.Errors = []httpapi.Fault{{Name: asked.Parameter, Detail: "is not a code or a name we know"}}
	p.Suggestions = places.Suggest(asked.Name, 5)
	if len(p.Suggestions) > 0 {
		p.Detail += " Perhaps: " + strings.Join(p.Suggestions, ", ") + "."
	}
	return p
}

func notCovered(n *answer.NoAnswer) error {
	detail := fmt.Sprintf("No fare from %s has ever been observed here.", n.Series.Origin)
	if n.Series.Destination != "" {
		detail = fmt.Sprintf("No fare from %s to %s has ever been observed here.", n.Series.Origin, n.Series.Destination)
	}
	return published.NotCovered(n.Collection,
		detail+" The next refresh asks for it: try again then. GET /v1/rotte lists the covered routes.")
}
