package agents

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"sync"
	"text/template"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

// A card shows a tool's answer to a person, in clients with MCP Apps (io.modelcontextprotocol/ui).
// The client loads one HTML document and passes tool results to it. Each result contains the HTML
// of its card in _meta under cardKey, rendered with the templates of the web page.

const (
	uiExtension = "io.modelcontextprotocol/ui"
	cardURI     = "ui://verdetto/card"
	cardType    = "text/html;profile=mcp-app"
	cardKey     = "verdetto/card"
)

//go:embed card
var cardFiles embed.FS

// document is the HTML document that displays cards. Style and script are inline, because the
// document may not load anything.
var document = sync.OnceValues(func() (string, error) {
	all, err := template.ParseFS(cardFiles, "card/*")
	if err != nil {
		return "", fmt.Errorf("read card: %w", err)
	}
	var script, html bytes.Buffer
	if err := all.ExecuteTemplate(&script, "card.js", struct{ Version string }{httpapi.Version}); err != nil {
		return "", fmt.Errorf("write card: %w", err)
	}
	if err := all.ExecuteTemplate(&html, "card.html",
		struct{ Style, Script string }{page.EmbeddedStyle(), script.String()}); err != nil {
		return "", fmt.Errorf("write card: %w", err)
	}
	return html.String(), nil
})

// uiMeta declares to MCP clients that the cards' document makes no requests and prefers a border.
func uiMeta() mcp.Meta {
	none := []string{}
	return mcp.Meta{"ui": map[string]any{
		"csp":           map[string]any{"connectDomains": none, "resourceDomains": none},
		"prefersBorder": true,
	}}
}

func addCard(server *mcp.Server) {
	server.AddResource(&mcp.Resource{
		URI: cardURI, Name: "card", Title: "A verdict, or a calendar, to look at", MIMEType: cardType, Meta: uiMeta(),
		Description: "For clients that show interfaces: what flight_price_verdict and fare_calendar " +
			"answer, as the page shows it.",
	}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		html, err := document()
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: cardURI, MIMEType: cardType, Text: html,
			Meta: uiMeta()}}}, err
	})
}

// cardMeta tells clients where the cards' document is. Tools whose answers have a card include it.
func cardMeta() mcp.Meta { return mcp.Meta{"ui": map[string]any{"resourceUri": cardURI}} }

// showsCards reports whether a client may show cards: it declared the extension for cards. A client
// whose protocol revision has no declarations in tool calls may show them too.
func showsCards(request *mcp.CallToolRequest) bool {
	if _, told := request.Params.Meta[mcp.MetaKeyClientCapabilities]; !told {
		return true
	}
	c := request.ClientCapabilities()
	return c != nil && c.Extensions[uiExtension] != nil
}

// cardHTML holds the HTML of a card. Answers that have a card embed this type. The card is not part
// of the answer's JSON.
type cardHTML struct{ card string }

func (s cardHTML) html() string { return s.card }
