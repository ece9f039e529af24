// Package travelpayouts asks the Travelpayouts (Aviasales) Data API which fares
// its users found lately: one-way fares of all routes from a city, and a year of
// departures of one route, one-way or return, non-stop or any.
//
// It promises that a fare it hands on is comparable (upstream.Comparable) and
// answers what was asked; that "nothing there", "could not ask" and "may not ask
// any more today" are never confused; that it stays within the calls a minute of
// each endpoint and asks before each whether it may, however many callers share a
// Client; and that the token goes to the API's own host in a header and nowhere
// else: not into a URL, not into an error, not into what fmt or a logger prints
// of a Client or a Config. Links of offers are read for the day of a search, and do not leave the decoder.
package travelpayouts

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/runtime/retry"
	"verdetto/shared/upstream"
)

const (
	// DefaultBaseURL is where the API lives.
	DefaultBaseURL = "https://api.travelpayouts.com"
	// DefaultPerMinute is what the API grants get_latest_prices.
	DefaultPerMinute = 300
)

// Reasons of this source's own for leaving a row out.
const (
	NotForAffiliates upstream.Reason = "not to be shown by affiliates"
	OtherOrigin      upstream.Reason = "from another city than asked"
	OtherRoute       upstream.Reason = "of another route than asked"
	OtherTrip        upstream.Reason = "of another kind of trip than asked"
	WithStops        upstream.Reason = "with stops, where non-stop was asked"
	Undated          upstream.Reason = "without the day it was found"
)

// Config is what a Client needs. Token and Comparable are required.
type Config struct {
	Token      string       `json:"-"`
	BaseURL    string       // default DefaultBaseURL
	HTTPClient *http.Client // default: one with a timeout of 30 seconds
	PerMinute  int          // calls to get_latest_prices; as many in proportion to the others. Default DefaultPerMinute
	// Spend, where set, is asked before every call, tries that fail included; its
	// error is final, and nothing is asked. departures tells questions for one route
	// from those that find out which there are.
	Spend      func(ctx context.Context, departures bool) error
	Comparable upstream.Comparable
	CurrencyOf func(origin fare.City) string                    // ISO 4217, in which to ask; default the euro
	Wait       func(ctx context.Context, d time.Duration) error // default: by the clock on the wall
	Now        func() time.Time                                 // default time.Now
}

// String shows a Config without its token.
func (c Config) String() string { return fmt.Sprintf("travelpayouts at %s", c.BaseURL) }

// GoString shows a Config without its token.
func (c Config) GoString() string { return c.String() }

// Client is a Deep source. It is safe for concurrent use, and its callers share limits and budget.
type Client struct {
	base       *url.URL
	http       *http.Client
	authorize  func(*http.Request)      // a closure, so that no printing of a Client shows the token
	redact     func(text string) string // likewise
	comparable upstream.Comparable
	currencyOf func(fare.City) string
	gates      map[string]*gate // by path
	spend      func(ctx context.Context, departures bool) error
	wait       func(ctx context.Context, d time.Duration) error
	now        func() time.Time
}

var _ upstream.Deep = (*Client)(nil)

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
	if cfg.Spend == nil {
		cfg.Spend = func(context.Context, bool) error { return nil }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Wait == nil {
		cfg.Wait = retry.Sleep
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
		currencyOf: cfg.CurrencyOf,
		gates:      gates(cfg.PerMinute, cfg.Now, cfg.Wait),
		spend:      cfg.Spend,
		wait:       cfg.Wait,
		now:        cfg.Now,
	}, nil
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
	err := c.get(ctx, cityList, nil, func(body []byte) error {
		var err error
		cities, err = decodeCities(body)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list cities of travelpayouts: %w", err)
	}
	return cities, nil
}

// isCode tells whether a code is three Latin capitals: the list of cities holds Cyrillic ones too.
func isCode(s string) bool {
	return len(s) == 3 && !slices.ContainsFunc([]byte(s), func(b byte) bool { return b < 'A' || b > 'Z' })
}
