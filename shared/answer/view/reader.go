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

// Reader answers questions about price trends. It is safe for concurrent use.
type Reader struct {
	*answer.Reader
	// If AllFares is true, answers may contain the lowest fare of each past week.
	AllFares bool
}

// NotCovered means that no fare from the origin was ever observed. If Destination is set, it means
// the route to that destination.
type NotCovered struct {
	Origin, Destination fare.City
	Collection          *verdict.Raccolta // of a service without any fare; nil for others
}

func (n *NotCovered) Error() string {
	if n.Destination == "" {
		return fmt.Sprintf("no fare from %s has ever been observed", n.Origin)
	}
	return fmt.Sprintf("no fare from %s to %s has ever been observed", n.Origin, n.Destination)
}

// Read returns the trends from an origin. With a destination, it also reads the summary of the
// route. It fails if the currency has no exchange rate. If the origin or the route is not covered,
// Read fails with NotCovered, and the next refresh asks the fare source for the origin.
func (r *Reader) Read(ctx context.Context, origin, destination fare.City, currency string) (Trends, error) {
	return r.read(ctx, origin, destination, currency, most)
}

// ReadAll is like Read, without the limit on the number of destinations.
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
	e, ok := all.Entry(destination)
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

// notCovered records the request for an origin, so that the next refresh asks the fare source for
// it. It returns a NotCovered error.
func (r *Reader) notCovered(ctx context.Context, origin, destination fare.City) error {
	if err := r.Stored.RequestOrigin(ctx, origin, (fare.DayOf(r.Now()) + answer.OriginRequestDays).Time()); err != nil {
		return err
	}
	return &NotCovered{origin, destination, r.BeforeFares(ctx)}
}
