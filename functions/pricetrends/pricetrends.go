// Package pricetrends answers GET /v1/price-trends: popular destinations from an origin and how
// their prices move. It also answers GET /v1, which describes the API.
package pricetrends

import (
	"context"
	"errors"
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
			"destination, refreshed at least every 7 days. Destinations are ordered by popularity: the number of " +
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
	return published.Differ(find("origin", in.Origin), find("destination", in.Destination))
}

func (s *Service) trends(ctx context.Context, in *input) (*httpapi.Tagged, error) {
	from, to := find("origin", in.Origin), find("destination", in.Destination)
	var unknown *answer.UnknownCity
	if _, err := answer.City(from); errors.As(err, &unknown) {
		return nil, published.UnknownCity(UnknownOrigin, unknown)
	}
	if _, err := answer.City(to); in.Destination != "" && errors.As(err, &unknown) {
		return nil, published.UnknownCity(UnknownDestination, unknown)
	}
	series := fare.Series{Route: fare.Route{Origin: from.Means.City, Destination: to.Means.City}}
	series.Airports = fare.Airports{From: from.Means.Of, To: to.Means.Of}
	t, err := s.Trends.Read(ctx, series, strings.ToUpper(in.Currency))
	if answer.Why(err) != nil {
		return nil, published.Problem(err)
	}
	published.NoteAirports(ctx, &t, from, to)
	if l := httpapi.Language(ctx); l != nil && err == nil {
		t.InLanguage(l.Code)
	}
	return httpapi.TagJSON(ctx, in.IfNoneMatch, t, err)
}

// find reads a known IATA code, in either case, as a code, and everything else as a name.
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
