// Package agents answers /mcp: the service as tools of the Model Context
// Protocol, for AI agents. It speaks the protocol's streamable HTTP without
// sessions: every POST holds one message and is answered at once with JSON, so
// any process, or any Lambda function, can answer any of them.
//
// A tool gives the answer that the endpoint of the same question gives, from
// the same code, and is counted under that endpoint's cap for the same caller.
// Beginning a session, pinging, listing and the reference are free. What a tool
// cannot answer it refuses in a result that says what to do next.
package agents

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/functions/analisi/page"
	"verdetto/shared/answer/view"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

// Service answers agents.
type Service struct {
	Answers *published.Answers
	Pages   *page.Service // show the answers
	Trends  *view.Reader
	Log     *slog.Logger

	api *httpapi.API
}

// Register adds the endpoint to an API. The protocol's server is made when the
// first message arrives: it takes 4 ms, as long as all else that a process starts with.
func (s *Service) Register(api *httpapi.API) {
	s.api = api
	h := &mcpHandler{server: sync.OnceValue(s.newServer)}
	if base, err := url.Parse(s.Pages.BaseURL); err == nil {
		h.host = base.Hostname()
	}
	api.Mount(h, "mcp", "mcp-get", "mcp-delete")
}

const instructions = `Verdetto says whether a flight fare is cheap, judged against the route's own observed history, and how sure it is: today's cheapest fare of a route, that of a departure or a month, or a price that somebody has seen.

- "Is this a good price?", "should I book now?": flight_price_verdict, with departure or month where a date was named, and with price where a price was. Tell nobody to wait where conviene is false.
- "Which of these dates, months or places?": compare_trips, up to 10 at once; pass on which could not be answered.
- "Which month is cheapest?": cheapest_months. "How far ahead should I book?": when_to_book.
- "Which days are cheap?": fare_calendar. "How has this departure's fare moved?": departure_history.
- "Where can I go cheaply?": cheap_now. "Where do people go, how have prices moved?": price_trends.
- "Which routes do you know?", or after rotta-non-coperta: watched_routes, or the resource verdetto://coverage. What all codes and fields mean: verdetto://reference.
- "How many questions are left?": usage.
- "Tell me when it gets cheap": give the person the link avviso of a verdict; the form there wants their address, and you cannot fill that in.

Do not use it for what it does not know: seats and prices to book now, flight numbers, times, airlines, baggage, delays, business class, children's fares, fares of a certain airport of a city, or a forecast of prices. Do not ask again for the same within a day: fares change with the refresh. Give language, the code of the language that the person speaks to you in.

Cities are given by name (Italian, English, French, German, Spanish, Portuguese or the local language) or by IATA code of a city or airport. Fares are economy, for one adult, one-way unless a return or nights were asked for. In structured content amounts are integers in hundredths of the currency; the text writes them out. Fares are refreshed every 7 days: aggiornatoIl and updatedAt say how old they are. Nothing can be booked here and no itinerary is shown: send people to an airline or travel agency for that.
Pass the certainty (affidabilita: alta is high, media medium, bassa low) and the size of the sample (campione) on with every verdict, and make no verdict of your own where livello is dati-insufficienti.
Calls without a key are limited by day and address; a Pro key goes into the header X-Api-Key of the connection.`

// newServer makes the protocol's server.
func (s *Service) newServer() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{
		Name: "verdetto", Title: "Verdetto", Version: httpapi.Version,
		Description: "Is today's cheapest fare on a flight route cheap? Verdicts from the route's own history.",
	}, &mcp.ServerOptions{
		Instructions: instructions,
		// Tools and resources never change while a process lives: there is nothing to notify of.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(time.Hour/time.Millisecond), "public"
		},
	})
	s.addResources(server)
	addCard(server)
	server.AddReceivingMiddleware(listToolNames(s.addTools(server)), keptAsKnown)
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: httpapi.MaxBody})
}

// euros writes hundredths of a currency.
func euros(cents int64, currency string) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	return fmt.Sprintf("%s%d.%02d %s", sign, cents/100, cents%100, currency)
}
