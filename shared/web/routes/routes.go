// Package routes holds one table of all endpoints. The Lambda functions, the program for one
// machine, the cache rules of CloudFront and the OpenAPI description are built from this table.
//
// To add an endpoint, add a row to Table and register a handler under the row's name with
// httpapi.JSON or another function of that package.
package routes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

type Route struct {
	Name         string // never change a name: clients and stored counters refer to it
	Method       string
	Path         string
	Function     string
	Share        string
	Free         Cap
	Pro          Cap
	Edge         Edge
	Own          time.Duration // how long a caller with a key may cache an answer
	Form         bool
	NoHEAD       bool // HEAD is refused, because the GET shows something once or is paid
	Keys         bool
	Tokens       bool
	KeyInHandler bool
	Signed       bool
	// SingleFares says that the answer lists single fares. The answer is 403 unless
	// httpapi.Config.AllFares is set.
	SingleFares     bool
	CrossOriginPOST bool  // scripts of any site may post, because the endpoint reads no cookies
	Price           int64 // in millionths of a USDC; 0: not sold by x402
	// FreeTier says that calls without a key are refused at the edge while the free tier is closed.
	FreeTier bool

	// Headers lists request headers that CloudFront passes on instead of Accept-Language and others,
	// because an origin request policy lists at most ten headers.
	Headers []string
}

// Cap is a quota per window. The zero Cap means no quota.
type Cap struct {
	Calls int64
	Per   time.Duration
}

func (c Cap) String() string {
	switch c.Per {
	case 0:
		return ""
	case day:
		return fmt.Sprintf("%d a day (UTC)", c.Calls)
	case time.Hour:
		return fmt.Sprintf("%d an hour", c.Calls)
	case time.Minute:
		return fmt.Sprintf("%d a minute", c.Calls)
	}
	return fmt.Sprintf("%d in each %s", c.Calls, c.Per)
}

// PerNetwork is the quota of an IPv6 /48, as a multiple of the quota of one address. A /48 may
// belong to one customer or to the mobile customers of a whole town.
const PerNetwork = 32

// Others is the limit for calls that no quota counts, such as calls of unknown paths.
var Others = Route{Name: "others", Free: Cap{3000, time.Hour}, Pro: Cap{36000, time.Hour}}

// Cached is the limit for answers from the cache of the program for one machine.
var Cached = Route{Name: "cached", Free: Cap{600, time.Minute}}

// Keyed reports whether httpapi checks a caller's key before the handler runs.
func (r Route) Keyed() bool { return r.Keys || r.Pro != Cap{} }

func (r Route) Methods() []string {
	if r.Method == "GET" && !r.NoHEAD {
		return []string{"GET", "HEAD"}
	}
	return []string{r.Method}
}

func (r Route) Paths() []string {
	if (r.Path == "/v1" || strings.HasPrefix(r.Path, "/v1/")) && r.Function != "compat" {
		return []string{r.Path, Alias + r.Path}
	}
	return []string{r.Path}
}

func (r Route) Described() bool { return len(r.Paths()) == 2 || r.Price > 0 }

// Edge is how long CloudFront may cache a successful answer.
type Edge struct {
	Free time.Duration
	Pro  time.Duration
}

const day = 24 * time.Hour

var Table = slices.Concat(
	rows("verdict", []Route{
		{
			Name: "analisi", Path: "/v1/analisi", FreeTier: true, Free: Cap{30, day}, Pro: Cap{120, time.Minute},
			Own: 10 * time.Minute,
		},
		// The verdicts in one answer count towards the quota of analisi.
		{Name: "confronto", Path: "/v1/confronto", Keys: true, FreeTier: true},
		// CloudFront caches for at most 1 hour, because the answer states the age of fares in
		// hours.
		{
			Name: "calendario", Path: "/v1/calendario", FreeTier: true, Free: Cap{30, day},
			Pro: Cap{60, time.Minute}, Edge: Edge{Free: time.Hour, Pro: 10 * time.Minute},
		},
		{
			Name: "vicini", Path: "/v1/vicini", FreeTier: true, Free: Cap{30, day}, Pro: Cap{60, time.Minute},
			Own: 10 * time.Minute,
		},
		{
			Name: "occasioni", Path: "/v1/occasioni", FreeTier: true, Free: Cap{30, day},
			Pro: Cap{60, time.Minute}, Edge: Edge{Free: time.Hour, Pro: 10 * time.Minute},
		},
	}),
	rows("page", []Route{
		{
			Name: "feed", Path: "/feed/{file}", FreeTier: true, Free: Cap{300, day}, SingleFares: true,
			Edge: Edge{Free: time.Hour},
		},
		{Name: "rotte", Path: "/v1/rotte", FreeTier: true, Free: Cap{100, day}, Pro: Cap{120, time.Minute}},
		{
			Name: "storico", Path: "/v1/storico", FreeTier: true, Free: Cap{100, day},
			Pro: Cap{120, time.Minute}, SingleFares: true,
		},
		{Name: "pagella", Path: "/v1/pagella", Edge: Edge{Free: time.Hour}},
		{Name: "pagella-page", Path: "/pagella", Free: Cap{300, time.Hour}},
		{Name: "consumo", Path: "/v1/consumo", Free: Cap{60, time.Hour}, Pro: Cap{60, time.Minute}},
		// No quota, because most answers come from memory.
		{Name: "citta", Path: "/v1/citta", Edge: Edge{Free: day}},
		// A request for the empty form does not count.
		{Name: "home", Path: "/", Free: Cap{120, day}},
		{Name: "card", Path: "/card/{file}", FreeTier: true, Free: Cap{300, day}, Edge: Edge{Free: 6 * time.Hour}},
	}),
	rows("trends", []Route{
		{
			Name: "price-trends", Path: "/v1/price-trends", FreeTier: true, Free: Cap{100, day},
			Pro: Cap{60, time.Minute}, Edge: Edge{Free: 6 * time.Hour, Pro: 10 * time.Minute},
		},
		{Name: "index", Path: "/v1", Edge: Edge{Free: 6 * time.Hour}},
	}),
	rows("agents", []Route{
		{
			Name: "mcp", Method: "POST", Path: "/mcp", Keys: true, CrossOriginPOST: true, FreeTier: true,
			Headers: []string{"Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name"},
		},
		{Name: "mcp-get", Path: "/mcp", Keys: true},
		{Name: "mcp-delete", Method: "DELETE", Path: "/mcp", Keys: true},
	}),
	rows("documents", []Route{
		{Name: "openapi", Path: "/v1/openapi.json", Edge: Edge{Free: 6 * time.Hour}},
		{Name: "docs", Path: "/v1/docs"},
		{Name: "llms", Path: "/llms.txt", Edge: Edge{Free: 6 * time.Hour}},
		{Name: "agenti", Path: "/v1/agenti"},
		{Name: "api-catalog", Path: "/.well-known/api-catalog"},
		{Name: "server-json", Path: "/server.json"},
		{Name: "robots", Path: "/robots.txt", Edge: Edge{Free: 6 * time.Hour}},
		{Name: "sitemap", Path: "/sitemap.xml", Free: Cap{100, day}, Edge: Edge{Free: 6 * time.Hour}},
		{Name: "sitemap-file", Path: "/sitemap/{file}", Free: Cap{3000, day}, Edge: Edge{Free: 6 * time.Hour}},
	}),
	rows("page", []Route{
		{Name: "salute", Path: "/healthz"},
		{Name: "assets", Path: "/assets/{file}", Edge: Edge{Free: 365 * day}},
	}),
	rows("shop", []Route{
		{Name: "pro-offerta", Path: "/v1/pro", Free: Cap{300, time.Hour}},
		{Name: "termini", Path: "/v1/termini", Free: Cap{300, time.Hour}},
		{Name: "privacy", Path: "/v1/privacy", Free: Cap{300, time.Hour}},
		{Name: "contatti", Path: "/v1/contatti", Free: Cap{300, time.Hour}},
		{Name: "note-legali", Path: "/v1/note-legali", Free: Cap{300, time.Hour}},
		{Name: "pro-checkout", Method: "POST", Path: "/v1/pro/checkout", Free: Cap{10, time.Hour}, Form: true},
		{Name: "pro-conferma", Path: "/v1/pro/conferma", Free: Cap{60, time.Hour}, NoHEAD: true},
		// The card processor calls from few addresses. A delivery with a valid signature must be
		// accepted, however many calls came before.
		{
			Name: "pro-webhook", Share: "webhook", Method: "POST", Path: "/v1/pro/webhook", Signed: true,
			Headers: []string{"Stripe-Signature"},
		},
		{Name: "pro-recupera-page", Path: "/v1/pro/recupera", Free: Cap{300, time.Hour}},
		{Name: "pro-recupera", Method: "POST", Path: "/v1/pro/recupera", Free: Cap{5, time.Hour}, Form: true},
		{Name: "pro-annulla-page", Path: "/v1/pro/recupera/annulla", Free: Cap{60, time.Hour}},
		{Name: "pro-annulla", Method: "POST", Path: "/v1/pro/recupera/annulla", Free: Cap{60, time.Hour}},
		{Name: "pro-recupera-conferma-page", Path: "/v1/pro/recupera/conferma", Free: Cap{60, time.Hour}},
		{Name: "pro-recupera-conferma", Method: "POST", Path: "/v1/pro/recupera/conferma", Free: Cap{60, time.Hour}},
		{Name: "pro-chiave", Path: "/v1/pro/chiave", Pro: Cap{60, time.Minute}},
		{Name: "pro-ruota", Method: "POST", Path: "/v1/pro/chiave/ruota", KeyInHandler: true},
		{Name: "pro-cripta", Path: "/v1/pro/cripta", Free: Cap{100, day}},
		// 300 calls allow one open page, which polls every 15 seconds for 1 hour: 240 calls.
		{Name: "pro-attesa", Method: "POST", Path: "/v1/pro/cripta/attesa", Free: Cap{300, time.Hour}, Form: true},
		{Name: "pro-gestione-page", Path: "/v1/pro/gestione", Free: Cap{300, time.Hour}},
		{
			Name: "pro-gestione", Method: "POST", Path: "/v1/pro/gestione", Free: Cap{5, time.Hour}, Form: true,
			KeyInHandler: true,
		},
		{Name: "pro-piano", Path: "/v1/pro/gestione/piano", Free: Cap{60, time.Hour}},
		{
			Name: "pro-portale", Method: "POST", Path: "/v1/pro/portale", Free: Cap{20, time.Hour},
			Pro: Cap{20, time.Hour}, Form: true,
		},
		{Name: "pro-indirizzo", Method: "POST", Path: "/v1/pro/indirizzo", Free: Cap{5, time.Hour}},
		{Name: "pro-indirizzo-conferma-page", Path: "/v1/pro/indirizzo/conferma", Free: Cap{60, time.Hour}},
		{Name: "pro-indirizzo-conferma", Method: "POST", Path: "/v1/pro/indirizzo/conferma", Free: Cap{60, time.Hour}},
		{Name: "pro-cancella", Method: "POST", Path: "/v1/pro/cancella", Free: Cap{10, time.Hour}},
		{
			Name: "pro-verifica-cripta", Method: "POST", Path: "/v1/pro/verifica-cripta",
			Free: Cap{60, time.Hour}, KeyInHandler: true,
		},
	}),
	rows("alerts", []Route{
		{Name: "alerts", Method: "POST", Path: "/v1/alerts", Free: Cap{5, time.Hour}},
		{Name: "alerts-confirm-page", Path: "/v1/alerts/confirm", Free: Cap{60, time.Hour}},
		{Name: "alerts-confirm", Method: "POST", Path: "/v1/alerts/confirm", Free: Cap{60, time.Hour}},
		{Name: "alerts-unsubscribe-page", Path: "/v1/alerts/unsubscribe", Free: Cap{60, time.Hour}},
		// No quota: mail providers call this endpoint for many users from few addresses.
		{Name: "alerts-unsubscribe", Method: "POST", Path: "/v1/alerts/unsubscribe", Signed: true},
		{Name: "alerts-manage-page", Path: "/v1/alerts/manage", Free: Cap{60, time.Hour}},
		{Name: "alerts-manage", Method: "POST", Path: "/v1/alerts/manage", Free: Cap{60, time.Hour}},
		// No quota: Telegram calls this endpoint for all users of the bot from few addresses.
		{Name: "alerts-telegram", Method: "POST", Path: "/v1/alerts/telegram", Signed: true},
	}),
	rows("amadeus", []Route{
		// These endpoints imitate an API that was closed, so that programs for that API still run.
		{Name: "compat-token", Method: "POST", Path: "/v1/security/oauth2/token"},
		{
			Name: "compat-metrics", Path: "/v1/analytics/itinerary-price-metrics", Keys: true, Tokens: true,
			FreeTier: true,
		},
		{Name: "compat-dates", Path: "/v1/shopping/flight-dates", Keys: true, Tokens: true, FreeTier: true},
		{
			Name: "compat-destinations", Path: "/v1/shopping/flight-destinations", Keys: true, Tokens: true,
			FreeTier: true,
		},
		// The API of Amadeus also sold bookable offers, which this service does not have: the endpoints
		// from compat-shopping to compat-transfers always answer with an error.
		{Name: "compat-shopping", Path: "/v1/shopping/{file}"},
		{Name: "compat-shopping-post", Method: "POST", Path: "/v1/shopping/{file}"},
		{Name: "compat-pricing", Method: "POST", Path: "/v1/shopping/flight-offers/{file}"},
		{Name: "compat-availability", Method: "POST", Path: "/v1/shopping/availability/{file}"},
		{Name: "compat-offers", Path: "/v2/shopping/{file}"},
		{Name: "compat-offers-post", Method: "POST", Path: "/v2/shopping/{file}"},
		{Name: "compat-hotels", Path: "/v3/shopping/{file}"},
		{Name: "compat-hotel", Path: "/v3/shopping/hotel-offers/{file}"},
		{Name: "compat-booking", Method: "POST", Path: "/v1/booking/{file}"},
		{Name: "compat-order", Path: "/v1/booking/flight-orders/{file}"},
		{Name: "compat-order-delete", Method: "DELETE", Path: "/v1/booking/flight-orders/{file}"},
		{Name: "compat-hotel-orders", Method: "POST", Path: "/v2/booking/{file}"},
		{Name: "compat-transfers", Method: "POST", Path: "/v1/ordering/{file}"},
	}),
	rows("answers", []Route{
		// The price covers the fee of the Solana network unless a SOL is very dear: see
		// docs/selling.md.
		sold("x402-analisi", "/x402/v1/analisi", 10_000, 120),
		sold("x402-calendario", "/x402/v1/calendario", 20_000, 60),
		sold("x402-occasioni", "/x402/v1/occasioni", 20_000, 60),
	}),
)

func rows(share string, all []Route) []Route {
	for i := range all {
		all[i].Share, all[i].Method = cmp.Or(all[i].Share, share), cmp.Or(all[i].Method, "GET")
		all[i].Function = shareNamed(all[i].Share).Function
	}
	return all
}

const Alias = "/api"

// Named panics on an unknown name, because names are constants in the code.
func Named(name string) Route {
	for _, r := range Table {
		if r.Name == name {
			return r
		}
	}
	panic("routes: no route is named " + name)
}

// NothingSold is set at the start of a process that sells no plan.
var NothingSold atomic.Bool

func (r Route) Sells() bool {
	return slices.Contains([]string{"pro-checkout", "pro-conferma", "pro-cripta", "pro-attesa", "pro-verifica-cripta"},
		r.Name)
}
