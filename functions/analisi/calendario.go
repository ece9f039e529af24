package analisi

import (
	"context"
	"encoding/json"
	"fmt"

	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

type calendarInput struct {
	published.CalendarInput
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of an answer that the caller has"`
}

func (s *Service) registerCalendar(api *httpapi.API) {
	httpapi.JSON(api, "calendario", httpapi.JSONDoc{
		Summary: "Calendar of a route",
		Description: "The departures of a route that have a fare, day by day up to 330 days ahead, and their months: each with its fare, when that was found, and the verdict that GET /v1/analisi gives with that partenza or mese. " +
			"Days without a known fare are absent.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, published.NoLiveFare, published.StopsUnknown, httpapi.SameCity, httpapi.UnknownCurrency},
		Answer:   verdict.Calendario{},
	}, func(ctx context.Context, in *calendarInput) error {
		q, err := in.Question()
		if err != nil {
			return err
		}
		return published.Problem(s.Check(ctx, q))
	}, func(ctx context.Context, in *calendarInput) (*httpapi.Tagged, error) {
		q, err := in.Question()
		if err != nil {
			return nil, err
		}
		c, err := s.CalendarOf(ctx, q)
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(c)
		if err != nil {
			return nil, fmt.Errorf("write calendar: %w", err)
		}
		return httpapi.Tag(in.IfNoneMatch, "application/json", body), nil
	})
}

// CalendarOf judges the departures of a route day by day. What it cannot answer is a Problem.
func (s *Service) CalendarOf(ctx context.Context, q answer.Question) (verdict.Calendario, error) {
	return s.answers().Calendar(ctx, q, httpapi.AllFares(ctx))
}
