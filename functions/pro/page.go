package pro

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"

	"verdetto/shared/i18n"
	"verdetto/shared/page"
)

//go:embed *.html
var templates embed.FS

var pages = template.Must(template.ParseFS(templates, "*.html"))

// showCheckout tells where to pay: as JSON, or as a page with a link where HTML
// is asked for. It does not redirect: browsers hold the answer to a form to the
// page's policy, which lets forms lead nowhere but here.
func showCheckout(accept string, l *i18n.Language, c checkoutBegun) (*page.Response, error) {
	if !page.WantsHTML(accept) {
		body, err := json.Marshal(c)
		if err != nil {
			return nil, fmt.Errorf("show checkout: %w", err)
		}
		return &page.Response{Status: http.StatusOK, ContentType: "application/json", Referrer: "no-referrer", Body: body}, nil
	}
	return show("checkout.html", l, l.Text("checkout.title"), struct {
		T   *i18n.Language
		URL string
	}{l, c.URL})
}

// showKey shows a key once: as JSON, or as a page where HTML is asked for.
func showKey(accept string, l *i18n.Language, k issued) (*page.Response, error) {
	if !page.WantsHTML(accept) {
		body, err := json.Marshal(k)
		if err != nil {
			return nil, fmt.Errorf("show key: %w", err)
		}
		return &page.Response{
			Status: http.StatusOK, ContentType: "application/json", Referrer: "no-referrer", Vary: "Accept, Accept-Language", Body: body,
		}, nil
	}
	if k.APIKey == "" {
		return show("extended.html", l, l.Text("extended.title"), struct {
			T     *i18n.Language
			Until string
		}{l, l.Moment(k.ExpiresAt)})
	}
	return show("key.html", l, l.Text("key.title"), struct {
		T     *i18n.Language
		Key   string
		Until string
	}{l, k.APIKey, l.Moment(k.ExpiresAt)})
}

// showLink shows what a link of a mail leads to: a block of link.html.
func showLink(status int, l *i18n.Language, block, action string) (*page.Response, error) {
	return showStatus(status, block, l, l.Text("recovery."+block+".title"), struct {
		T      *i18n.Language
		Action string
	}{l, action})
}

// show writes a page.
func show(name string, l *i18n.Language, title string, view any) (*page.Response, error) {
	return showStatus(http.StatusOK, name, l, title, view)
}

func showStatus(status int, name string, l *i18n.Language, title string, view any) (*page.Response, error) {
	var body bytes.Buffer
	if err := pages.ExecuteTemplate(&body, name, view); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return page.Respond(status, page.Page{Language: l, Title: title, Body: template.HTML(body.String())})
}
