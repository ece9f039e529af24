package pro

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"sync"

	"verdetto/shared/mail"
	"verdetto/shared/page"
)

//go:embed key.html
var keyTemplate string

// Made when the first key is shown: most calls show none.
var keyHTML = sync.OnceValue(func() *template.Template { return template.Must(template.New("key").Parse(keyTemplate)) })

//go:embed checkout.html
var checkoutTemplate string

var checkoutHTML = template.Must(template.New("checkout").Parse(checkoutTemplate))

// showCheckout tells where to pay: as JSON, or as a page with a link where HTML
// is asked for. It does not redirect: browsers hold the answer to a form to the
// page's policy, which lets forms lead nowhere but here.
func showCheckout(accept, language string, c checkoutBegun) (*page.Response, error) {
	if !page.WantsHTML(accept) {
		body, err := json.Marshal(c)
		if err != nil {
			return nil, fmt.Errorf("show checkout: %w", err)
		}
		return &page.Response{Status: http.StatusOK, ContentType: "application/json", Referrer: "no-referrer", Body: body}, nil
	}
	var body bytes.Buffer
	italian := language == "it"
	if err := checkoutHTML.Execute(&body, struct {
		Italian bool
		URL     string
	}{italian, c.URL}); err != nil {
		return nil, fmt.Errorf("show checkout: %w", err)
	}
	title := "To the checkout"
	if italian {
		title = "Alla cassa"
	}
	return page.Respond(http.StatusOK, page.Page{Language: language, Title: title, Body: template.HTML(body.String())})
}

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
	}{italian, k.APIKey, mail.Moment(k.ExpiresAt, language)}); err != nil {
		return nil, fmt.Errorf("show key: %w", err)
	}
	title := "Your Pro key"
	if italian {
		title = "La tua chiave Pro"
	}
	return page.Respond(http.StatusOK, page.Page{Language: language, Title: title, Body: template.HTML(body.String())})
}
