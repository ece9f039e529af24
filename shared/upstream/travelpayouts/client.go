// Package travelpayouts asks the Travelpayouts (Aviasales) Data API for fares: one-way fares of all
// routes from a city, and a year of departures of one route, one-way or return, non-stop or any.
// Start reading at Client.
//
// Except in Check, each call waits for the rate limit of its endpoint, which all callers of a Client
// share. Config.Spend is called before each call.
//
// The token goes only to the host of Config.BaseURL, in a header. It is not in URLs or errors, and
// String omits it. The API's links to offers never leave the package.
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
	DefaultBaseURL = "https://api.travelpayouts.com"
	// DefaultPerMinute is the API's rate limit for get_latest_prices, in calls per minute.
	DefaultPerMinute = 300
)

const (
	NotForAffiliates upstream.Reason = "not to be shown by affiliates"
	OtherOrigin      upstream.Reason = "from another city than asked"
	OtherRoute       upstream.Reason = "of another route than asked"
	OtherTrip        upstream.Reason = "of another kind of trip than asked"
	WithStops        upstream.Reason = "with stops, where non-stop was asked"
	Undated          upstream.Reason = "without the day it was found"
)

// In a Config, Token and Comparable are required.
type Config struct {
	Token      string `json:"-"`
	BaseURL    string
	HTTPClient *http.Client
	PerMinute  int // calls of get_latest_prices; other limits are in proportion
	// Spend, if set, is called before every call and every retry. If Spend returns an error, the
	// call is not made.
	Spend      func(ctx context.Context, departures bool) error
	Comparable upstream.Comparable
	CurrencyOf func(origin fare.City) string // returns an ISO 4217 code; nil means EUR
	Wait       func(ctx context.Context, d time.Duration) error
	Now        func() time.Time
}

// String omits the token.
func (c Config) String() string { return fmt.Sprintf("travelpayouts at %s", c.BaseURL) }

func (c Config) GoString() string { return c.String() }

// Client is safe for concurrent use. Its callers share the rate limits and the budget.
type Client struct {
	base       *url.URL
	http       *http.Client
	authorize  func(*http.Request) // a closure, so that printing a Client does not show the token
	redact     func(text string) string
	comparable upstream.Comparable
	currencyOf func(fare.City) string
	gates      map[string]*gate
	spend      func(ctx context.Context, departures bool) error
	wait       func(ctx context.Context, d time.Duration) error
	now        func() time.Time
}

var _ upstream.Deep = (*Client)(nil)

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
		// The parser's error may quote a password in the address.
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

// stayOnHost refuses redirects that would send the token to another host, because net/http removes
// credentials only from headers that it knows.
func stayOnHost(next *http.Request, via []*http.Request) error {
	first := via[0].URL
	if next.URL.Host != first.Host || next.URL.Scheme != first.Scheme || len(via) > 3 {
		return http.ErrUseLastResponse
	}
	return nil
}

func (c *Client) String() string { return "travelpayouts at " + c.base.Redacted() }

func (c *Client) Name() string { return "travelpayouts" }

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

// isCode rejects the Cyrillic codes in the API's list of cities.
func isCode(s string) bool {
	return len(s) == 3 && !slices.ContainsFunc([]byte(s), func(b byte) bool { return b < 'A' || b > 'Z' })
}
