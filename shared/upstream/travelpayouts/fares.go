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
	maxPages = 100
)

// Fares asks for one-way fares only; Departures also asks for returns. If one page fails, Fares
// fails, because half an answer would look like a changed market.
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
		// A full page that repeats the page before means that the endpoint does not page, so there
		// are no more rows.
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

// With period_type=year, beginning_of_period would make the API return no rows. Without
// period_type, the API returns only the current month.
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

// group_by=departure_at returns the cheapest fare of each day of departure. Without a length of
// stay, the fares of grouped_prices are one-way.
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
		if longest < fare.MaxNights {
			query.Set("max_trip_duration", strconv.Itoa(longest))
		}
	}
	return query
}

// judge does not count rows found at the time since or earlier as dropped, because the question is
// not about them.
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
