// Package routes is the one table of what the service answers. The Lambda functions, the
// process on one machine, the edge's behaviours and the published description are made
// from it.
//
// A new endpoint is a row here and a handler that is registered under the row's name
// (httpapi.JSON, httpapi.Page or API.Mount) in the folder that Function names.
package routes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Route is one endpoint. Those of the API, whose paths are under /v1, answer under /api/v1 as well.
type Route struct {
	Name     string // stable: the operation id, and the name under which calls are counted
	Method   string
	Path     string // may end in {file}, which stands for any one name
	Function string // the folder in functions/ that answers
	Free     Cap    // for callers without a key, by address
	Pro      Cap    // for callers with a key, by key
	Edge     Edge
	Own      time.Duration // how long a caller with a key may keep an answer, for itself alone; 0 is not at all
	Form     bool          // a form of a page may be posted to it as well
	NoHEAD   bool          // its GET shows something once: a HEAD, as previews of links send it, is not answered
	Keys     bool          // looks at X-Api-Key although it counts nothing under its own name
	// wants a key, a token of one, or a token of nobody's: who shows none of them is refused
	Tokens       bool
	KeyInHandler bool // its handler looks at X-Api-Key by itself, for more than who calls
	// callers prove themselves by a signature: of a call whose signature is right no cap is ever told
	Signed bool
	// it lists fares of past days or of departures one by one: only where the setting VERDETTO_FARES_SHOWN says all
	SingleFares     bool
	CrossOriginPOST bool  // scripts in pages of any site may post to it: it looks at no cookie
	Relayed         bool  // few addresses call it for many: payment and mail providers. The firewall gives them more
	Price           int64 // of one call, in millionths of a USDC, by x402; 0: it is not sold so
	// answers about fares without a key: the edge refuses that while the operator closes the free tier
	FreeTier bool

	// Query lists the parameters of an answer that the edge may keep. Others are
	// neither part of its key nor passed on: a made-up one is no answer of its own.
	Query []string
	// Headers are those that it looks at in place of Accept-Language, If-None-Match,
	// Idempotency-Key and Payment-Signature; the edge passes on no others, since it takes ten at most.
	Headers []string
	// Weight is the endpoint's own share of the throughput of API Gateway, at each of its paths, as
	// a multiple of the least share; 0: it shares that of its group (Groups).
	Weight int
}

// Cap is how many calls a caller has in each window. The zero Cap counts nothing.
type Cap struct {
	Calls int64
	Per   time.Duration
}

// String says the cap in words; the zero Cap is no words.
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

// PerNetwork is how many times the cap of an address all addresses of an IPv6 /48
// have together: one customer is given up to 65,536 addresses as they are counted
// here, by their /64, and the mobile customers of a whole town may share a /48.
const PerNetwork = 32

// Others caps what no row counts: pages, files, unknown paths, refused requests. It is
// counted in memory (limit.Join), so it is a soft cap, to be met by programs that run
// wild and by no person.
var Others = Route{Name: "others", Free: Cap{3000, time.Hour}, Pro: Cap{36000, time.Hour}}

// Keyed tells whether the endpoint looks at X-Api-Key.
func (r Route) Keyed() bool { return r.Keys || r.Pro != Cap{} }

// Methods are those that the endpoint answers: a GET answers HEAD as well.
func (r Route) Methods() []string {
	if r.Method == "GET" && !r.NoHEAD {
		return []string{"GET", "HEAD"}
	}
	return []string{r.Method}
}

// Paths are those that the endpoint answers at: two where it is part of the API.
// What programs ask that were written for another API they ask at its paths alone.
func (r Route) Paths() []string {
	if (r.Path == "/v1" || strings.HasPrefix(r.Path, "/v1/")) && r.Function != "compat" {
		return []string{r.Path, Alias + r.Path}
	}
	return []string{r.Path}
}

// Described tells whether the endpoint is part of the API as it is described: what is under /v1,
// and what sells the same answers.
func (r Route) Described() bool { return len(r.Paths()) == 2 || r.Price > 0 }

// Edge is how long the edge may share a successful answer; 0 is not at all.
type Edge struct {
	Free time.Duration // the answer to callers without a key, shared by all of them
	Pro  time.Duration // the answer to a key, for that key alone
}

const day = 24 * time.Hour

// Table lists every endpoint.
var Table = slices.Concat(
	rows("analisi", []Route{
		{
			Name: "analisi", Path: "/v1/analisi", FreeTier: true, Free: Cap{30, day}, Pro: Cap{120, time.Minute},
			Own: 10 * time.Minute, Weight: 2,
		},
		// It counts as so many verdicts as it gives, under their cap.
		{Name: "confronto", Path: "/v1/confronto", Keys: true, FreeTier: true},
		// An hour at the edge: the age of a fare is told in hours.
		{
			Name: "calendario", Path: "/v1/calendario", FreeTier: true, Free: Cap{30, day},
			Pro: Cap{60, time.Minute}, Edge: Edge{Free: time.Hour, Pro: 10 * time.Minute},
			Query: []string{"origine", "destinazione", "mese", "diretto", "notti", "valuta"},
		},
		{
			Name: "occasioni", Path: "/v1/occasioni", FreeTier: true, Free: Cap{30, day},
			Pro: Cap{60, time.Minute}, Edge: Edge{Free: time.Hour, Pro: 10 * time.Minute},
			Query: []string{"origine", "mese", "notti", "livello", "diretto", "massimo", "valuta"},
		},
		// Readers of feeds ask again all day: they know the ETag of what they have.
		{
			Name: "feed", Path: "/feed/{file}", FreeTier: true, Free: Cap{300, day}, SingleFares: true,
			Edge: Edge{Free: time.Hour},
		},
		{Name: "rotte", Path: "/v1/rotte", FreeTier: true, Free: Cap{100, day}, Pro: Cap{120, time.Minute}},
		{
			Name: "storico", Path: "/v1/storico", FreeTier: true, Free: Cap{100, day},
			Pro: Cap{120, time.Minute}, SingleFares: true,
		},
		// It changes once a day, and holds nothing that is anybody's: without a cap, shared at the edge.
		{Name: "pagella", Path: "/v1/pagella", Edge: Edge{Free: time.Hour}, Query: []string{"formato"}},
		{Name: "pagella-page", Path: "/pagella", Free: Cap{300, time.Hour}},
		// It reads what was counted of the caller, and is counted under a cap of its own.
		{Name: "consumo", Path: "/v1/consumo", Free: Cap{60, time.Hour}, Pro: Cap{60, time.Minute}},
		// It is asked at every keystroke and answered from what a process holds: counting would
		// cost more than answering.
		{Name: "citta", Path: "/v1/citta", Edge: Edge{Free: day}, Query: []string{"q", "lang", "origine"}},
		// What it looks up it counts as analisi or occasioni.
		{Name: "home", Path: "/", Weight: 2},
		{Name: "card", Path: "/card/{file}", FreeTier: true, Free: Cap{300, day}, Edge: Edge{Free: 6 * time.Hour}},
	}),
	rows("pricetrends", []Route{
		{
			Name: "price-trends", Path: "/v1/price-trends", FreeTier: true, Free: Cap{100, day},
			Pro: Cap{60, time.Minute}, Edge: Edge{Free: 6 * time.Hour, Pro: 10 * time.Minute},
			Query: []string{"origin", "currency", "destination"},
		},
		{Name: "index", Path: "/v1", Edge: Edge{Free: 6 * time.Hour}},
	}),
	rows("analisi", []Route{
		// What agents ask over MCP is counted under the caps of the endpoints that give the same answers.
		{
			Name: "mcp", Method: "POST", Path: "/mcp", Keys: true, CrossOriginPOST: true, FreeTier: true,
			Headers: []string{"Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name"},
		},
		{Name: "mcp-get", Path: "/mcp", Keys: true},
		{Name: "mcp-delete", Method: "DELETE", Path: "/mcp", Keys: true},
		{Name: "openapi", Path: "/v1/openapi.json", Edge: Edge{Free: 6 * time.Hour}},
		{Name: "docs", Path: "/v1/docs"},
		{Name: "llms", Path: "/llms.txt", Edge: Edge{Free: 6 * time.Hour}},
		// What follows is asked for once in a while, and the edge has few behaviours left for paths of their own.
		{Name: "agenti", Path: "/v1/agenti"},
		{Name: "api-catalog", Path: "/.well-known/api-catalog"},
		{Name: "server-json", Path: "/server.json"},
		{Name: "robots", Path: "/robots.txt", Edge: Edge{Free: 6 * time.Hour}},
		{Name: "sitemap", Path: "/sitemap.xml", Free: Cap{100, day}, Edge: Edge{Free: 6 * time.Hour}},
		// A crawler reads them all.
		{Name: "sitemap-file", Path: "/sitemap/{file}", Free: Cap{3000, day}, Edge: Edge{Free: 6 * time.Hour}},
		// On one machine the process answers by itself, before anything else.
		{Name: "salute", Path: "/healthz"},
		{Name: "assets", Path: "/assets/{file}", Edge: Edge{Free: 365 * day}},
	}),
	rows("pro", []Route{
		{Name: "pro-offerta", Path: "/v1/pro", Free: Cap{300, time.Hour}},
		{Name: "termini", Path: "/v1/termini", Free: Cap{300, time.Hour}},
		{Name: "privacy", Path: "/v1/privacy", Free: Cap{300, time.Hour}},
		{Name: "contatti", Path: "/v1/contatti", Free: Cap{300, time.Hour}},
		{Name: "note-legali", Path: "/v1/note-legali", Free: Cap{300, time.Hour}},
		{Name: "pro-checkout", Method: "POST", Path: "/v1/pro/checkout", Free: Cap{10, time.Hour}, Form: true},
		{Name: "pro-conferma", Path: "/v1/pro/conferma", Free: Cap{60, time.Hour}, NoHEAD: true},
		// The card processor retries from few addresses, and what it says is good has to be heard
		// whatever was sent before.
		{
			Name: "pro-webhook", Method: "POST", Path: "/v1/pro/webhook", Relayed: true, Signed: true, Weight: 2,
			Headers: []string{"Stripe-Signature"},
		},
		{Name: "pro-recupera-page", Path: "/v1/pro/recupera", Free: Cap{300, time.Hour}},
		{Name: "pro-recupera", Method: "POST", Path: "/v1/pro/recupera", Free: Cap{5, time.Hour}, Form: true},
		{Name: "pro-annulla-page", Path: "/v1/pro/recupera/annulla", Free: Cap{60, time.Hour}},
		{Name: "pro-annulla", Method: "POST", Path: "/v1/pro/recupera/annulla", Free: Cap{60, time.Hour}},
		{Name: "pro-recupera-conferma-page", Path: "/v1/pro/recupera/conferma", Free: Cap{60, time.Hour}},
		{Name: "pro-recupera-conferma", Method: "POST", Path: "/v1/pro/recupera/conferma", Free: Cap{60, time.Hour}},
		// Calls with a key alone are answered, so only they are counted, and by key.
		{Name: "pro-chiave", Path: "/v1/pro/chiave", Pro: Cap{60, time.Minute}},
		// It takes a key that was rotated away for some minutes more, so it looks at keys by itself, and counts by key.
		{Name: "pro-ruota", Method: "POST", Path: "/v1/pro/chiave/ruota", KeyInHandler: true},
		{Name: "pro-cripta", Path: "/v1/pro/cripta", Free: Cap{100, day}},
		// A page that waits asks every 15 seconds for an hour: that is one page.
		{Name: "pro-attesa", Method: "POST", Path: "/v1/pro/cripta/attesa", Free: Cap{300, time.Hour}, Form: true},
		{Name: "pro-gestione-page", Path: "/v1/pro/gestione", Free: Cap{300, time.Hour}},
		{
			Name: "pro-gestione", Method: "POST", Path: "/v1/pro/gestione", Free: Cap{5, time.Hour}, Form: true,
			KeyInHandler: true,
		},
		{Name: "pro-piano", Path: "/v1/pro/gestione/piano", Free: Cap{60, time.Hour}},
		{
			Name: "pro-protezione", Method: "POST", Path: "/v1/pro/gestione/piano", Free: Cap{20, time.Hour},
			Pro: Cap{20, time.Hour}, Form: true,
		},
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
		// Mail providers call it for their users, many from few addresses: it has no cap.
		{Name: "alerts-unsubscribe", Method: "POST", Path: "/v1/alerts/unsubscribe", Relayed: true, Signed: true},
		{Name: "alerts-manage-page", Path: "/v1/alerts/manage", Free: Cap{60, time.Hour}},
		{Name: "alerts-manage", Method: "POST", Path: "/v1/alerts/manage", Free: Cap{60, time.Hour}},
		// Telegram calls it for everybody who writes to the bot, from few addresses, and what it says has to be heard.
		{Name: "alerts-telegram", Method: "POST", Path: "/v1/alerts/telegram", Relayed: true, Signed: true},
	}),
	rows("compat", []Route{
		// What programs ask that were written for an API that closed: their answers are
		// counted under the caps of the endpoints that give the same ones, and a token
		// costs at most one read.
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
		// What of it there cannot be here: whatever is bookable, and what else was for sale.
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
	[]Route{
		// What programs without a key pay for call by call. A price is above what the call costs,
		// the network's fee most of all: docs/selling.md. A call without a payment counts as one
		// with it.
		sold("x402-analisi", "/x402/v1/analisi", 10_000, 120),
		sold("x402-calendario", "/x402/v1/calendario", 20_000, 60),
		sold("x402-occasioni", "/x402/v1/occasioni", 20_000, 60),
	},
)

// rows are endpoints of one function. They answer GET unless they say otherwise.
func rows(function string, all []Route) []Route {
	for i := range all {
		all[i].Function, all[i].Method = function, cmp.Or(all[i].Method, "GET")
	}
	return all
}

// Alias is the prefix under which every path of /v1 answers as well.
const Alias = "/api"

// Named returns the route of that name and panics when there is none: names are written in code, not given by callers.
func Named(name string) Route {
	for _, r := range Table {
		if r.Name == name {
			return r
		}
	}
	panic("routes: no route is named " + name)
}
