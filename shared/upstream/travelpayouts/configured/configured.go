// Package configured creates the real fare source from the operator's settings.
package configured

import (
	"context"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/runtime/config"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
)

type Part struct {
	PerMinute int // calls that this process may make; see travelpayouts.Config
	Rates     func(on fare.Day) fare.Rates
	Spend     func(ctx context.Context, departures bool) error
	Now       func() time.Time
}

func Source(settings config.Upstream, p Part) (*travelpayouts.Client, error) {
	return travelpayouts.New(travelpayouts.Config{
		Token: settings.Token, BaseURL: settings.URL, Now: p.Now, PerMinute: p.PerMinute, Spend: p.Spend,
		Comparable: upstream.Comparable{CityOf: places.CityOf, Rates: p.Rates},
		CurrencyOf: func(origin fare.City) string {
			place, _ := places.Get(origin)
			return travelpayouts.CurrencyOfCountry(place.Country)
		},
	})
}
