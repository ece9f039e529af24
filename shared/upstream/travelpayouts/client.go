// Package travelpayouts asks the Travelpayouts (Aviasales) Data API which
// one-way fares its users found lately.
//
// It promises that a fare it hands on is comparable (upstream.Comparable) and
// was found in the window that was asked for; that "nothing there" and "could
// not ask" are never confused; that it stays within the calls per minute it was
// given, however many callers share a Client; and that the token goes to the
// API's own host in a header and nowhere else: not into a URL, not into an
// error, not into what fmt or a logger prints of a Client or a Config.
package travelpayouts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

const (
	// DefaultBaseURL is where the API lives.
	DefaultBaseURL = "https://api.travelpayouts.com"
	// DefaultPerMinute is what the API grants get_latest_prices.
	DefaultPerMinute = 300

	pageSize = 1000 // the most that the API gives at once
	maxPages = 100  // a source that never comes to an end is out of order
)

// Reasons of this source's own for leaving a row out.
const (
	NotForAffiliates upstream.Reason = "not to be shown by affiliates"
	OtherOrigin      upstream.Reason = "from another city than asked"
)

// Config is what a Client needs. Token and Comparable are required.
type Config struct {
	Token      string       `json:"-"`
	BaseURL    string       // default DefaultBaseURL
	HTTPClient *http.Client // default: one with a timeout of 30 seconds
	PerMinute  int          // default DefaultPerMinute
	Comparable upstream.Comparable
	Wait       func(ctx context.Context, d time.Duration) error // default: by the clock on the wall
	Now        func() time.Time                                 // default time.Now
}

// String shows a Config without its token.
func (c Config) String() string { return fmt.Sprintf("travelpayouts at %s", c.BaseURL) }

// GoString shows a Config without its token.
func (c Config) GoString() string { return c.String() }

// Client is a Source. It is safe for concurrent use, and its callers share one rate limit.
type Client struct {
	base       *url.URL
	http       *http.Client
	authorize  func(*http.Request)      // a closure, so that no printing of a Client shows the token
	redact     func(text string) string // likewise
	comparable upstream.Comparable
	gate       *gate
	wait       func(ctx context.Context, d time.Duration) error
	now        func() time.Time
}

var _ upstream.Source = (*Client)(nil)

// New checks a Config and makes a Client of it. It asks nothing yet.
func New(cfg Config) (*Client, error) {
	if cfg.Token == "" {
		return nil, fmt.Errorf("set up travelpayouts: no token")
	}
	if cfg.Comparable.CityOf == nil || cfg.Comparable.Rates == nil {
		return nil, fmt.Errorf("set up travelpayouts: Comparable lacks its functions")
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = DefaultBaseURL
	}
	base, err := url.Parse(cfg.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "https" && base.Scheme != "http") {
		// The parser's own words may repeat a password in the address.
		return nil, fmt.Errorf("set up travelpayouts: base URL: want http(s)://host")
	}
	if cfg.PerMinute <= 0 {
		cfg.PerMinute = DefaultPerMinute
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Wait == nil {
		cfg.Wait = sleep
	}
	client := http.Client{Timeout: 30 * time.Second}
	if cfg.HTTPClient != nil {
		client = *cfg.HTTPClient
	}
	client.CheckRedirect = stayOnHost
	token := cfg.Token
	return &Client{
		base:       base,
		http:       &client,
		authorize:  func(r *http.Request) { r.Header.Set("X-Access-Token", token) },
		redact:     func(text string) string { return strings.ReplaceAll(text, token, "[token]") },
		comparable: cfg.Comparable,
		gate:       newGate(cfg.PerMinute, cfg.Now, cfg.Wait),
		wait:       cfg.Wait,
		now:        cfg.Now,
	}, nil
}

// sleep waits by the clock on the wall.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// stayOnHost refuses redirects that would carry the token elsewhere: net/http
// takes credentials of its own off such a request, but knows nothing of ours.
func stayOnHost(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	if next.URL.Host != first.Host || next.URL.Scheme != first.Scheme || len(via) > 3 {
		return http.ErrUseLastResponse
	}
	return nil
}

// String says where the Client asks.
func (c *Client) String() string { return "travelpayouts at " + c.base.Redacted() }

// Name implements upstream.Source.
func (c *Client) Name() string { return "travelpayouts" }

// Origins lists the cities with an airport that has flights, in alphabetical order.
func (c *Client) Origins(ctx context.Context) ([]fare.City, error) {
	var cities []fare.City
	err := c.get(ctx, "/data/en/cities.json", nil, func(body []byte) error {
		var err error
		cities, err = decodeCities(body)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list cities of travelpayouts: %w", err)
	}
	return cities, nil
}

// Fares asks for everything found on routes from origin, page by page. The API
// remembers about seven days. A page that cannot be had fails the whole: half an
// answer looks like a market that has changed.
func (c *Client) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	answer := upstream.Answer{Dropped: map[upstream.Reason]int{}}
	var before json.RawMessage
	for number := 1; ; number++ {
		var p page
		err := c.get(ctx, "/aviasales/v3/get_latest_prices", latestPrices(origin, number), func(body []byte) error {
			var err error
			p, err = decodePage(body)
			return err
		})
		if err != nil {
			return upstream.Answer{}, fmt.Errorf("ask travelpayouts for fares from %s, page %d: %w", origin, number, err)
		}
		// The same full page again: this endpoint does not page, and there is no more.
		if number > 1 && bytes.Equal(p.raw, before) {
			return answer, nil
		}
		before = p.raw
		c.judge(&answer, p, origin, since, until)
		if p.rows < pageSize {
			return answer, nil
		}
		if number == maxPages {
			return upstream.Answer{}, fmt.Errorf("ask travelpayouts for fares from %s: more than %d pages: %w", origin, maxPages, upstream.ErrUnavailable)
		}
	}
}

// latestPrices asks for one-way economy fares of the whole year ahead.
//
// period_type=year stands without beginning_of_period: without a period_type the
// API tells of the current month only, and with a beginning it tells nothing.
// group_by is absent, since grouped answers hold one row per day or direction.
func latestPrices(origin fare.City, page int) url.Values {
	return url.Values{
		"origin":             {string(origin)},
		"currency":           {"eur"},
		"one_way":            {"true"},
		"trip_class":         {"0"},
		"period_type":        {"year"},
		"sorting":            {"price"},
		"show_to_affiliates": {"true"},
		"limit":              {strconv.Itoa(pageSize)},
		"page":               {strconv.Itoa(page)},
	}
}

// judge adds a page's comparable rows to the answer. Rows from before the
// window are not part of the question, so they are not counted as dropped.
func (c *Client) judge(answer *upstream.Answer, p page, origin fare.City, since, until time.Time) {
	if p.malformed > 0 {
		answer.Dropped[upstream.Malformed] += p.malformed
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
		if reason == "" && f.Route.Origin != origin {
			reason = OtherOrigin
		}
		if reason != "" {
			answer.Dropped[reason]++
			continue
		}
		answer.Fares = append(answer.Fares, f)
	}
}

// isCode tells whether a code is three Latin capitals: the list of cities holds Cyrillic ones too.
func isCode(s string) bool {
	return len(s) == 3 && !slices.ContainsFunc([]byte(s), func(b byte) bool { return b < 'A' || b > 'Z' })
}
