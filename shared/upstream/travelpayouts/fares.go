package travelpayouts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

const (
	pageSize = 1000 // the most that the API gives at once
	maxPages = 100  // a source that never comes to an end is out of order
)

// Fares asks for every one-way fare found on routes from origin, page by page:
// the discovery of routes, one call for most cities. Returns would take as many
// calls again; they are asked of routes, with Departures.
//
// The API remembers about seven days. A page that cannot be had fails the whole:
// half an answer looks like a market that has changed.
func (c *Client) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	answer := upstream.Answer{Dropped: map[upstream.Reason]int{}}
	fromOrigin := func(f fare.Fare) upstream.Reason {
		if f.Route.Origin != origin {
			return OtherOrigin
		}
		return ""
	}
	currency := c.currency(origin)
	var before json.RawMessage
	for number := 1; ; number++ {
		var p page
		err := c.get(ctx, latestPrices, latest(origin, currency, number), func(body []byte) error {
			var err error
			p, err = decodePage(body, currency)
			return err
		})
		if err != nil {
			return upstream.Answer{}, fmt.Errorf("ask travelpayouts for fares from %s, page %d: %w", origin, number,
				err)
		}
		// The same full page again: this endpoint does not page, and there is no more.
		if number > 1 && bytes.Equal(p.raw, before) {
			return answer, nil
		}
		before = p.raw
		c.judge(&answer, p, since, until, fromOrigin)
		if p.rows < pageSize {
			return answer, nil
		}
		if number == maxPages {
			return upstream.Answer{}, fmt.Errorf("ask travelpayouts for fares from %s: more than %d pages: %w", origin,
				maxPages, upstream.ErrUnavailable)
		}
	}
}

// latest asks get_latest_prices for one-way economy fares of the whole year ahead.
//
// period_type=year stands without beginning_of_period: without a period_type the
// API tells of the current month only, and with a beginning it tells nothing.
// group_by is absent, since grouped answers hold one row per day or direction.
func latest(origin fare.City, currency string, page int) url.Values {
	return url.Values{
		"origin":             {string(origin)},
		"currency":           {strings.ToLower(currency)},
		"one_way":            {"true"},
		"trip_class":         {"0"},
		"period_type":        {"year"},
		"sorting":            {"price"},
		"show_to_affiliates": {"true"},
		"limit":              {strconv.Itoa(pageSize)},
		"page":               {strconv.Itoa(page)},
	}
}

// Departures asks for the cheapest fare of each departure day of a year: one call.
func (c *Client) Departures(ctx context.Context, q upstream.Question, until time.Time) (upstream.Answer, error) {
	var p page
	currency := c.currency(q.Origin)
	err := c.get(ctx, groupedPrices, departures(q, currency), func(body []byte) error {
		var err error
		p, err = decodePage(body, currency)
		return err
	})
	if err != nil {
		return upstream.Answer{}, fmt.Errorf("ask travelpayouts for departures of %s: %w", q.Series, err)
	}
	answer := upstream.Answer{Dropped: map[upstream.Reason]int{}}
	c.judge(&answer, p, time.Time{}, until, func(f fare.Fare) upstream.Reason {
		switch stops, known := f.Stops.Number(); {
		case f.Route != q.Route:
			return OtherRoute
		case fare.TripOf(int(f.Nights)) != q.Trip:
			return OtherTrip
		case q.NonStop && known && stops > 0:
			return WithStops
		}
		return ""
	})
	return answer, nil
}

// departures asks grouped_prices for a year of one route.
//
//   - group_by=departure_at gives the cheapest fare of each day of departure. A
//     departure_at beside it would narrow the year to a month.
//   - There is no one_way: without return_at and a length of stay the fares are one-way.
//   - min_trip_duration and max_trip_duration count the nights of returns.
//   - direct=true leaves non-stop fares only.
//
// What is not documented is not relied on: whatever is of another route, trip or
// number of stops than asked is left out and counted.
func departures(q upstream.Question, currency string) url.Values {
	query := url.Values{
		"origin":      {string(q.Origin)},
		"destination": {string(q.Destination)},
		"group_by":    {"departure_at"},
		"currency":    {strings.ToLower(currency)},
		"direct":      {strconv.FormatBool(q.NonStop)},
	}
	if shortest, longest := q.Trip.Nights(); shortest > 0 {
		query.Set("min_trip_duration", strconv.Itoa(shortest))
		if longest < fare.MaxNights { // else there is no upper end to ask for
			query.Set("max_trip_duration", strconv.Itoa(longest))
		}
	}
	return query
}

// judge adds a page's comparable rows to the answer, as far as they fit what was
// asked: fits gives "" or why not. Rows from before the window are not part of
// the question, so they are not counted as dropped.
func (c *Client) judge(answer *upstream.Answer, p page, since, until time.Time, fits func(fare.Fare) upstream.Reason) {
	for reason, n := range p.unread {
		answer.Dropped[reason] += n
	}
	for _, r := range p.offers {
		if !r.Found.After(since) {
			continue
		}
		if r.notForAffiliates {
			answer.Dropped[NotForAffiliates]++
			continue
		}
		f, reason := c.comparable.Fare(r.Row, until)
		if reason == "" {
			reason = fits(f)
		}
		if reason != "" {
			answer.Dropped[reason]++
			continue
		}
		answer.Fares = append(answer.Fares, f)
	}
}
