package view

import (
	"context"
	"errors"
	"fmt"
	"math"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/trends"
)

// Reader makes answers. One may be used by many goroutines.
type Reader struct {
	*answer.Reader
	// AllFares has lows of past weeks shown one by one.
	AllFares bool
}

// NotCovered is an origin, or with a Destination a route, of which no fare was ever observed.
type NotCovered struct{ Origin, Destination fare.City }

func (n *NotCovered) Error() string {
	if n.Destination == "" {
		return fmt.Sprintf("no fare from %s has ever been observed", n.Origin)
	}
	return fmt.Sprintf("no fare from %s to %s has ever been observed", n.Origin, n.Destination)
}

// Read answers from one stored item of the origin, and with a destination from
// that route's summary as well. The currency is one that Rates has. What is not
// covered is a NotCovered, and the next refresh asks for the origin.
func (r *Reader) Read(ctx context.Context, origin, destination fare.City, currency string) (Trends, error) {
	return r.read(ctx, origin, destination, currency, most)
}

// ReadAll is Read with every destination that there is.
func (r *Reader) ReadAll(ctx context.Context, origin, destination fare.City, currency string) (Trends, error) {
	return r.read(ctx, origin, destination, currency, math.MaxInt)
}

func (r *Reader) read(ctx context.Context, origin, destination fare.City, currency string, most int) (Trends, error) {
	rates, err := r.Rates(ctx)
	if err != nil {
		return Trends{}, err
	}
	now := r.Now()
	v := view{rates: rates, currency: currency, now: now, today: fare.DayOf(now), allFares: r.AllFares}
	data, _, err := r.Stored.Trends(ctx, origin)
	if errors.Is(err, store.ErrNotFound) {
		return Trends{}, r.notCovered(ctx, origin, "")
	}
	if err != nil {
		return Trends{}, err
	}
	all, err := trends.Decode(data)
	if err != nil {
		return Trends{}, err
	}
	if destination == "" {
		return v.origin(origin, all, most), nil
	}
	e, ok := all.To(destination)
	if !ok {
		return Trends{}, r.notCovered(ctx, origin, destination)
	}
	data, _, err = r.Stored.Summary(
		ctx, fare.Series{Route: fare.Route{Origin: origin, Destination: destination}}, store.Eventual,
	)
	if err != nil {
		return Trends{}, err
	}
	summary, err := verdict.Decode(data)
	if err != nil {
		return Trends{}, err
	}
	return v.route(origin, e, summary), nil
}

// notCovered has the next refresh ask for the origin.
func (r *Reader) notCovered(ctx context.Context, origin, destination fare.City) error {
	if err := r.Stored.RequestOrigin(ctx, origin, (fare.DayOf(r.Now()) + answer.OriginRequestDays).Time()); err != nil {
		return err
	}
	return &NotCovered{origin, destination}
}
