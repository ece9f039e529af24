package pro

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"sync"
	"time"

	"verdetto/shared/page"
)

//go:embed key.html
var keyTemplate string

// Made when the first key is shown: most calls show none.
var keyHTML = sync.OnceValue(func() *template.Template { return template.Must(template.New("key").Parse(keyTemplate)) })

// showKey shows a key once: as JSON, or as a page where HTML is asked for.
func showKey(accept, language string, k issued) (*page.Response, error) {
	if !page.WantsHTML(accept) {
		body, err := json.Marshal(k)
		if err != nil {
			return nil, fmt.Errorf("show key: %w", err)
		}
		return &page.Response{
			Status: http.StatusOK, ContentType: "application/json", Referrer: "no-referrer", Vary: "Accept, Accept-Language", Body: body,
		}, nil
	}
	var body bytes.Buffer
	italian := language == "it"
	if err := keyHTML().Execute(&body, struct {
		Italian bool
		Key     string
		Until   string
	}{italian, k.APIKey, k.ExpiresAt.UTC().Format(time.DateOnly)}); err != nil {
		return nil, fmt.Errorf("show key: %w", err)
	}
	title := "Your Pro key"
	if italian {
		title = "La tua chiave Pro"
	}
	return page.Respond(http.StatusOK, page.Page{Language: language, Title: title, Body: template.HTML(body.String())})
}
