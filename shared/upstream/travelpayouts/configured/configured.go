// Package configured makes the real fare source of what the operator has set: for
// the Lambda function and for the process on one machine alike. It promises that
// both ask in the same currencies, know the same cities, and ask before every
// call whether it may be made.
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

// Part is what differs from one process to another.
type Part struct {
	PerMinute int // of the calls that are granted; see travelpayouts.Config
	Rates     func(on fare.Day) fare.Rates
	Spend     func(ctx context.Context, departures bool) error
	Now       func() time.Time
}

// Source makes it.
func Source(of config.Upstream, p Part) (*travelpayouts.Client, error) {
	return travelpayouts.New(travelpayouts.Config{
		Token: of.Token, BaseURL: of.URL, Now: p.Now, PerMinute: p.PerMinute, Spend: p.Spend,
		Comparable: upstream.Comparable{CityOf: places.CityOf, Rates: p.Rates},
		CurrencyOf: func(origin fare.City) string {
			place, _ := places.Get(origin)
			return travelpayouts.CurrencyOfCountry(place.Country)
		},
	})
}
