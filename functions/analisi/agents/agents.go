// Package agents answers /mcp: it offers the service as tools of the Model Context Protocol. No
// sessions are kept, so each message can go to another process.
//
// Start reading at addTools.
package agents

import (
	"context"
	_ "embed"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/functions/analisi/page"
	"verdetto/shared/answer/view"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

type Service struct {
	Answers *published.Answers
	Pages   *page.Service
	Trends  *view.Reader
	Log     *slog.Logger

	api *httpapi.API
}

// Register defers creating the MCP server to the first message, so that a cold start does not wait
// for the server.
func (s *Service) Register(api *httpapi.API) {
	s.api = api
	h := &mcpHandler{server: sync.OnceValue(s.newServer)}
	if base, err := url.Parse(s.Pages.BaseURL); err == nil {
		h.host = base.Hostname()
	}
	api.MountForeign(h, nil, "mcp", "mcp-get", "mcp-delete")
}

//go:embed instructions.txt
var instructions string

func (s *Service) newServer() http.Handler {
	server := mcp.NewServer(&mcp.Implementation{
		Name: "verdetto", Title: "Verdetto", Version: httpapi.Version,
		Description: "Is today's cheapest fare on a flight route cheap? Verdicts from the route's own history.",
	}, &mcp.ServerOptions{
		Instructions: instructions,
		// The lists of tools and resources are fixed, so the server announces no changes.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(time.Hour/time.Millisecond), "public"
		},
	})
	s.addResources(server)
	addCard(server)
	s.addTools(server)
	server.AddReceivingMiddleware(listToolNames, stripCacheHints)
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: httpapi.MaxBody})
}

// euros writes hundredths of any currency, followed by the currency's code.
func euros(cents int64, currency string) string {
	c, _ := fare.ParseCurrency(currency)
	return fare.Money{Amount: fare.Cents(cents), Currency: c}.Decimal() + " " + currency
}
