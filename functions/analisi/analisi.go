// Package analisi answers GET /v1/analisi: is today's cheapest fare on a route
// cheap, or a price that somebody has seen? Package answer finds and judges it; here
// questions are read and answers are written, as JSON, as a page and as pictures.
// GET /v1/rotte says which routes can be asked for.
package analisi

import (
	"context"
	"net/http"

	"verdetto/functions/analisi/page"
	"verdetto/functions/analisi/reference"
	"verdetto/functions/analisi/scorecard"
	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// Service answers verdicts.
type Service struct {
	*answer.Reader
	Score    scorecard.Score // of the service itself; nil: it keeps none
	BaseURL  string          // where the service is reached, for what must be linked to in full; empty: not known
	Telegram bool            // alerts can come there
}

type output struct{ Body verdict.Analysis }

// Register adds the endpoints to an API.
func (s *Service) Register(api *httpapi.API) {
	httpapi.JSON(api, "analisi", httpapi.JSONDoc{
		Summary: "Price verdict for a route",
		Description: "Says whether today's cheapest economy fare for one adult is cheap, compared with the cheapest fare of the same route on past days; or a price that was seen elsewhere. " +
			"Without further parameters it is about one-way fares with any number of stops and any departure. With partenza or mese it is about that departure, or the cheapest of that month, compared with the route's departures as many days ahead, and says what is to be expected of it.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, published.NoLiveFare, published.StopsUnknown, httpapi.SameCity, httpapi.UnknownCurrency},
	}, func(ctx context.Context, in *published.VerdictInput) error {
		q, err := in.Question()
		if err != nil {
			return err
		}
		return s.Answers().Check(ctx, q)
	}, func(ctx context.Context, in *published.VerdictInput) (*output, error) {
		q, err := in.Question()
		if err != nil {
			return nil, err
		}
		a, err := s.Answers().Verdict(ctx, q)
		return &output{a}, err
	})
	s.registerComparison(api)
	s.registerRoutes(api)
	(&reference.Service{BaseURL: s.BaseURL}).Register(api)
	s.registerCalendar(api)
	s.registerDeals(api)
	s.registerHistory(api)
	(&scorecard.Service{Score: s.Score, Now: s.Now}).Register(api)
	registerUsage(api)
	registerAlive(api)
	cities, pages := &answer.CoveredCities{Reader: s.Reader}, s.Pages()
	registerCities(api, cities)
	pages.Cities = cities
	pages.Register(api)
}

// Answers returns what answers questions in their published form.
func (s *Service) Answers() *published.Answers {
	return &published.Answers{Reader: s.Reader}
}

// Pages returns what writes pages and parts of them.
func (s *Service) Pages() *page.Service {
	return &page.Service{Answers: s.Answers(), BaseURL: s.BaseURL, Telegram: s.Telegram}
}

// registerAlive answers that the process runs; it reads nothing.
func registerAlive(api *httpapi.API) {
	api.Mount(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-store")
		if r.Method != http.MethodHead {
			_, _ = w.Write([]byte(`{"stato":"attivo"}` + "\n")) // the caller has gone: nobody is left to tell
		}
	}), "salute")
}
