package travelpayouts

import (
	"bytes"
	"cmp"
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
	pageSize = 1000 // the API's maximum
	maxPages = 100  // more pages are an error of the source
)

// Fares asks for every one-way fare found on routes from origin, page by page. It serves to discover
// routes. It does not ask for return fares, which would double the calls: Departures asks for them,
// route by route. The API remembers fares for about seven days. If one page fails, Fares fails,
// because half an answer would look like a changed market.
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
		// A full page that repeats the one before means that the endpoint does not page: there are
		// no more rows.
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

// latest returns the query for one-way economy fares of the whole year ahead.
//
// With period_type=year the query must not have beginning_of_period, or the API returns no rows;
// without period_type it returns only the current month. With group_by it would return one row per
// day or direction.
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

// Departures asks for the cheapest fare of each departure day in the year ahead, in one call.
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
		case !q.Airports.Include(f.Flight):
			return upstream.NotAsked
		}
		return ""
	})
	return answer, nil
}

// departures returns the query of grouped_prices for a year of departures of one route.
//
//   - group_by=departure_at returns the cheapest fare of each day of departure. The parameter
//     departure_at would narrow the year to a month or a day.
//   - Without return_at and a length of stay the fares are one-way; there is no one_way.
//   - min_trip_duration and max_trip_duration count the nights away of returns.
//   - origin and destination are cities or airports.
//   - direct=true leaves non-stop fares only.
//
// Not all of this is documented, so Departures drops and counts every row of another route, trip,
// number of stops or pair of airports.
func departures(q upstream.Question, currency string) url.Values {
	query := url.Values{
		"origin":      {cmp.Or(q.Airports.From.String(), string(q.Origin))},
		"destination": {cmp.Or(q.Airports.To.String(), string(q.Destination))},
		"group_by":    {"departure_at"},
		"currency":    {strings.ToLower(currency)},
		"direct":      {strconv.FormatBool(q.NonStop)},
	}
	if shortest, longest := q.Trip.Nights(); shortest > 0 {
		query.Set("min_trip_duration", strconv.Itoa(shortest))
		if longest < fare.MaxNights { // otherwise there is no upper bound
			query.Set("max_trip_duration", strconv.Itoa(longest))
		}
	}
	return query
}

// judge adds the comparable rows that fit the question. fits returns the reason why a fare does not
// fit, or "". Rows found before the window are not part of the question, so they are not counted as
// dropped.
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
