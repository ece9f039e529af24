package analisi

import (
	"context"
	"encoding/json"
	"fmt"

	"verdetto/shared/answer"
	"verdetto/shared/httpapi"
	"verdetto/shared/verdict"
)

type calendarInput struct {
	Ends
	Mese    string `query:"mese" pattern:"^([0-9]{4}-(0[1-9]|1[0-2]))?$" patternDescription:"a month such as 2027-03" doc:"Only departures of this month, from this one to the one of 365 days ahead; without it those up to 330 days ahead"`
	Diretto bool   `query:"diretto" doc:"Only fares without stops"`
	Notti   string `query:"notti" pattern:"^(1-3|4-7|8-14|15[+ ]?)?$" patternDescription:"1-3, 4-7, 8-14 or 15+ (in a URL 15%2B)" doc:"Return fares with so many nights away, by the day of the way out; without it, one-way fares"`
	Shown
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of an answer that the caller has"`
}

func (in *calendarInput) question() (q answer.Question, err error) {
	trip := Trip{Mese: in.Mese, Diretto: in.Diretto, Notti: in.Notti, Valuta: in.Valuta}
	q, err = trip.Question(func(parameter string) string { return parameter })
	q.From, q.To = in.cities()
	return q, err
}

func (s *Service) registerCalendar(api *httpapi.API) {
	httpapi.JSON(api, "calendario", httpapi.JSONDoc{
		Summary: "Calendar of a route",
		Description: "The departures of a route that have a fare, day by day up to 330 days ahead, and their months: each with its fare, when that was found, and the verdict that GET /v1/analisi gives with that partenza or mese. " +
			"Days without a known fare are absent.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, NoLiveFare, StopsUnknown, httpapi.SameCity, httpapi.UnknownCurrency},
		Answer:   verdict.Calendario{},
	}, func(ctx context.Context, in *calendarInput) error {
		q, err := in.question()
		if err != nil {
			return err
		}
		return Problem(s.Check(ctx, q))
	}, func(ctx context.Context, in *calendarInput) (*httpapi.Tagged, error) {
		q, err := in.question()
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
	f, c, err := s.Calendar(ctx, q, httpapi.AllFares(ctx))
	if err != nil {
		return c, Problem(err)
	}
	c.Luoghi = luoghiOf(q, f)
	return inCurrency(ctx, s, c, q.Show)
}
