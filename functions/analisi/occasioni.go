package analisi

import (
	"context"
	"encoding/json"
	"fmt"

	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

type occasioniInput struct {
	published.CheapInput
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of an answer that the caller has"`
}

func (s *Service) registerDeals(api *httpapi.API) {
	httpapi.JSON(api, "occasioni", httpapi.JSONDoc{
		Summary: "Where it is cheap to fly to now",
		Description: "The destinations from a city that have a fare now, the best-judged first: the cheapest fare of each, of any date or of a month, with its verdict. " +
			"A minimum is compared with minima: the cheapest fare of a route with the route's cheapest of other days, that of a month with the cheapest of months. The same can be followed as a feed: /feed/MIL-it.atom and /feed/MIL-it.json.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, httpapi.UnknownCurrency},
		Answer:   published.Occasioni{},
	}, func(ctx context.Context, in *occasioniInput) error {
		q, err := in.Question()
		if err != nil {
			return err
		}
		return s.Answers().CheckDeals(ctx, q)
	}, func(ctx context.Context, in *occasioniInput) (*httpapi.Tagged, error) {
		q, err := in.Question()
		if err != nil {
			return nil, err
		}
		o, err := s.Answers().Deals(ctx, q)
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(o)
		if err != nil {
			return nil, fmt.Errorf("write deals: %w", err)
		}
		return httpapi.Tag(in.IfNoneMatch, "application/json", body), nil
	})
}
