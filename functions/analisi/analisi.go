// Package analisi answers GET /v1/analisi: is today's cheapest fare on a route
// cheap? It resolves two city names in memory, reads one route summary, and judges.
// GET /v1/rotte says which routes can be asked for.
package analisi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/httpapi"
	"verdetto/shared/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// Summaries is where route summaries are read from.
type Summaries interface {
	// Summary gives the encoded summary of a series, or an error that is store.ErrNotFound where none was ever made.
	Summary(ctx context.Context, s fare.Series, read store.Consistency) ([]byte, int64, error)
}

// Demand remembers what callers asked for: series that are covered, and origins that are not.
type Demand interface {
	NoteDemand(ctx context.Context, s fare.Series, until time.Time) error
	RequestOrigin(ctx context.Context, origin fare.City, until time.Time) error
}

// Service answers verdicts.
type Service struct {
	Summaries Summaries
	Demand    Demand
	Coverage  Coverage
	Now       func() time.Time
	Log       *slog.Logger
	BaseURL   string // where the service is reached, for what must be linked to in full; empty: not known

	noted sync.Map // what this process has recorded: series and origins, each with the day
}

const (
	// originRequestDays is how long a request is remembered: two refreshes and two days.
	originRequestDays = 16
	// demandDays is how long a series is in demand after it was asked for: a cycle, and a day.
	demandDays = 8
)

// requestOrigin records an origin for the next refresh.
func (s *Service) requestOrigin(ctx context.Context, origin fare.City) {
	s.note(ctx, origin, func(today fare.Day) error {
		return s.Demand.RequestOrigin(ctx, origin, (today + originRequestDays).Time())
	})
}

// noteDemand records that a series was asked for: the refresh asks the source for it every day.
func (s *Service) noteDemand(ctx context.Context, of fare.Series) {
	s.note(ctx, of, func(today fare.Day) error {
		return s.Demand.NoteDemand(ctx, of, (today + demandDays).Time())
	})
}

// note records something once a process and day. It never fails the answer: the next caller tries again.
func (s *Service) note(ctx context.Context, what any, record func(today fare.Day) error) {
	today := fare.DayOf(s.Now())
	if last, ok := s.noted.Load(what); ok && last.(fare.Day) == today {
		return
	}
	if err := record(today); err != nil {
		s.Log.ErrorContext(ctx, "wish not noted", "error", err)
		return
	}
	s.noted.Store(what, today)
}

// NoLiveFare is the problem of a route that is covered and has no fare just now.
var NoLiveFare = httpapi.ProblemType{Status: http.StatusNotFound, Code: "nessuna-tariffa", Title: "There is no live fare on the route"}

type input struct {
	Origine      string `query:"origine" required:"true" doc:"Origin city name in Italian, English, French, German, Spanish, Portuguese or the local language; case and accents do not matter. Three capital letters that are an IATA code are that code; in other letters a code is accepted where no city bears that name" example:"Milano"`
	Destinazione string `query:"destinazione" required:"true" doc:"Destination city name, likewise" example:"Bucarest"`
}

type output struct{ Body verdict.Analysis }

// Named is a city as a caller names it, and the parameter that the name was given in.
type Named struct{ Parameter, Name string }

func (in *input) cities() (origin, destination Named) {
	return Named{"origine", in.Origine}, Named{"destinazione", in.Destinazione}
}

// Register adds the endpoints to an API.
func (s *Service) Register(api *httpapi.API) {
	httpapi.JSON(api, "analisi", httpapi.JSONDoc{
		Summary:     "Price verdict for a route",
		Description: "Says whether today's cheapest one-way economy fare for one adult is cheap, compared with the cheapest fare of the same route on past days.",
		Problems:    []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, NoLiveFare, httpapi.SameCity},
	}, func(_ context.Context, in *input) error {
		return Differ(in.cities())
	}, func(ctx context.Context, in *input) (*output, error) {
		origin, destination := in.cities()
		a, err := s.Analysis(ctx, origin, destination)
		return &output{a}, err
	})
	s.registerRoutes(api)
	registerOpenAPI(api)
	registerDocs(api)
	s.registerHistory(api)
	registerCities(api)
	s.registerHome(api)
	s.registerCard(api)
	registerAssets(api)
}

// Differ refuses a journey that ends where it begins.
func Differ(from, to Named) error {
	origin, ok1 := places.Find(from.Name)
	destination, ok2 := places.Find(to.Name)
	if !ok1 || !ok2 || origin.City != destination.City {
		return nil
	}
	p := httpapi.SameCity.Problem(fmt.Sprintf("Both names lead to %s (%s). Give two different cities.", origin.Name, origin.City))
	p.Errors = []httpapi.Fault{{Name: to.Parameter, Detail: "is the same city as " + from.Parameter}}
	return p
}

// Analysis judges today's cheapest fare between two cities. What it cannot
// answer is a Problem.
func (s *Service) Analysis(ctx context.Context, from, to Named) (verdict.Analysis, error) {
	origin, destination, summary, err := s.findSummary(ctx, from, to)
	if err != nil {
		return verdict.Analysis{}, err
	}
	a, ok := verdict.Judge(summary, s.Now())
	if !ok {
		return verdict.Analysis{}, NoLiveFare.Problem(fmt.Sprintf("The route from %s to %s is covered, but no fare was found on it lately; the newest is of %s. Fares are refreshed every 7 days: try again then.",
			origin.Name, destination.Name, fare.DayOf(time.Unix(summary.Newest, 0))))
	}
	a.Origine, a.Destinazione = origin.Name, destination.Name
	return a, nil
}

// Find resolves a city name; the Problem of one that is unknown says which names are near.
func Find(c Named) (places.Place, error) { return find(c.Parameter, c.Name) }

// findSummary gives the ends of a route and what is known of it.
func (s *Service) findSummary(ctx context.Context, from, to Named) (origin, destination places.Place, summary verdict.RouteSummary, err error) {
	if origin, err = Find(from); err != nil {
		return origin, destination, summary, err
	}
	if destination, err = Find(to); err != nil {
		return origin, destination, summary, err
	}
	summary, err = s.readSummary(ctx, fare.Route{Origin: origin.City, Destination: destination.City})
	if errors.Is(err, store.ErrNotFound) {
		err = httpapi.NotCovered.Problem("No fare from " + origin.Name + " to " + destination.Name +
			" has ever been observed here. It is noted, and the next refresh asks for it; GET /v1/rotte lists what is covered.")
	}
	return origin, destination, summary, err
}

// readSummary reads a summary. Where there is none, the origin is requested of the next refresh.
func (s *Service) readSummary(ctx context.Context, route fare.Route) (verdict.RouteSummary, error) {
	of := fare.Series{Route: route}
	data, _, err := s.Summaries.Summary(ctx, of, store.Eventual)
	if err != nil {
		if errors.Is(err, store.ErrNotFound) {
			s.requestOrigin(ctx, route.Origin)
		}
		return verdict.RouteSummary{}, err
	}
	s.noteDemand(ctx, of)
	return verdict.Decode(data)
}

func find(parameter, name string) (places.Place, error) {
	if p, ok := places.Find(name); ok {
		return p, nil
	}
	p := httpapi.UnknownCity.Problem(fmt.Sprintf("%s: no city with scheduled flights is called %q.", parameter, name))
	p.Errors = []httpapi.Fault{{Name: parameter, Detail: "is not a city we know"}}
	p.Suggestions = places.Suggest(name, 5)
	if len(p.Suggestions) > 0 {
		p.Detail += " Perhaps: " + strings.Join(p.Suggestions, ", ") + "."
	} else {
		p.Detail += " Give the name of a city, as in Milano or New York."
	}
	return places.Place{}, p
}
