package analisi

import (
	"context"
	"encoding/json"
	"fmt"

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
		return s.Answers().Check(ctx, q)
	}, func(ctx context.Context, in *calendarInput) (*httpapi.Tagged, error) {
		q, err := in.Question()
		if err != nil {
			return nil, err
		}
		c, err := s.Answers().Calendar(ctx, q, httpapi.AllFares(ctx))
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
