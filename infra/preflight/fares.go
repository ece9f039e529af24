package main

import (
	"context"
	"errors"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
)

func (p *preflight) fares(ctx context.Context) ([]fault, error) {
	token := p.secrets["travelpayouts-token"]
	if token == "" {
		return nil, errors.New("there is no " + p.config.parameter("travelpayouts-token"))
	}
	source, err := travelpayouts.New(travelpayouts.Config{
		Token: token, BaseURL: p.at.fares, HTTPClient: p.client,
		Comparable: upstream.Comparable{
			CityOf: func(string) (fare.City, bool) { return "", false },
			Rates:  func(fare.Day) fare.Rates { return fare.Rates{} },
		},
	})
	if err != nil {
		return nil, err
	}
	now := time.Now()
	_, err = source.Fares(ctx, "LON", now.AddDate(0, 0, -7), now)
	if errors.Is(err, upstream.ErrRefused) {
		return []fault{{"the fare source refuses the token",
			"copy it anew from the partner account at Travelpayouts (Profile, API token), and put it as " +
				p.config.parameter("travelpayouts-token")}}, nil
	}
	return nil, err
}
