package agents

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"sync"
	"text/template"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

// A card shows a tool's answer to a person, in clients with MCP Apps (io.modelcontextprotocol/ui).
// Such a client loads one HTML document and passes tool results to the document.

const (
	cardURI  = "ui://verdetto/card"
	cardType = "text/html;profile=mcp-app"
)

//go:embed card
var cardFiles embed.FS

func labels(l *i18n.Language) map[string]string {
	return map[string]string{
		"day": l.Text("app.day"), "back": l.Text("app.back"), "open": l.Text("app.open"),
		"usual": l.Text("app.usual"), "alert": l.Text("form.alert"), "ask": l.Text("home.ask"),
		"sending": l.Text("form.sending"), "failed": l.Text("refusal.failed.lede"),
	}
}

// document contains its style and script, because a card must not load anything.
var document = sync.OnceValues(func() (string, error) {
	all, err := template.ParseFS(cardFiles, "card/*")
	if err != nil {
		return "", fmt.Errorf("read card: %w", err)
	}
	texts := map[string]map[string]string{}
	for _, l := range i18n.Languages() {
		texts[l.Code] = labels(l)
	}
	encoded, err := json.Marshal(texts)
	if err != nil {
		return "", fmt.Errorf("write card: %w", err)
	}
	var script, html bytes.Buffer
	if err := all.ExecuteTemplate(&script, "card.js",
		struct{ Version, Texts string }{httpapi.Version, string(encoded)}); err != nil {
		return "", fmt.Errorf("write card: %w", err)
	}
	if err := all.ExecuteTemplate(&html, "card.html",
		struct{ Style, Script string }{page.EmbeddedStyle(), script.String()}); err != nil {
		return "", fmt.Errorf("write card: %w", err)
	}
	return html.String(), nil
})

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
			"answer.",
	}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		html, err := document()
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: cardURI, MIMEType: cardType, Text: html,
			Meta: uiMeta()}}}, err
	})
}

func cardMeta() mcp.Meta { return mcp.Meta{"ui": map[string]any{"resourceUri": cardURI}} }
