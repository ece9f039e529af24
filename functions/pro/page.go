package pro

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"sync"
	"time"

	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

//go:embed *.html
var templates embed.FS

// pages parses the templates on first use, because many calls need no template.
var pages = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(templates, "*.html")) })

type Reader struct {
	Lang           string `query:"lang" doc:"Code of the language of texts for people. It takes precedence over Accept-Language"`
	AcceptLanguage string `header:"Accept-Language"`
}

func (r Reader) language() *i18n.Language { return i18n.Choose(r.Lang, r.AcceptLanguage) }

type view struct{ T *i18n.Language }

func (v view) At(path string) string { return page.AddressIn(v.T, path) }

func render(status int, block string, p page.Page, v any) (*page.Response, error) {
	var body bytes.Buffer
	if err := pages().ExecuteTemplate(&body, block, v); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	p.Body, p.Styles = template.HTML(body.String()), []string{"pro.css"}
	return page.Respond(status, p)
}

func show(status int, l *i18n.Language, block, text string, v any) (*page.Response, error) {
	return render(status, block, page.Page{Language: l, Title: l.Text(text + ".title")}, v)
}

func askPage(block, path string) func(context.Context, *Reader) (*page.Response, error) {
	return func(_ context.Context, in *Reader) (*page.Response, error) {
		l := in.language()
		return render(http.StatusOK, block, page.Page{Language: l, Title: l.Text(block + ".title"),
			Others: page.OtherLanguages(l, path)}, view{l})
	}
}

func asJSON(status int, answer any) (*page.Response, error) {
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	return &page.Response{
		Status: status, ContentType: "application/json", Referrer: "no-referrer", Vary: "Accept, Accept-Language",
		Body: body,
	}, nil
}

// showCheckout does not redirect, because some browsers apply a page's form-action policy also to the
// redirect after a form, and the policy allows no other host.
func showCheckout(accept string, l *i18n.Language, c checkoutBegun) (*page.Response, error) {
	if !page.WantsHTML(accept) {
		return asJSON(http.StatusOK, c)
	}
	return show(http.StatusOK, l, "checkout.html", "checkout", struct {
		view
		URL string
	}{view{l}, c.URL})
}

func (s *Service) showIssued(l *i18n.Language, k issued, until time.Time, renews bool) (*page.Response, error) {
	v := struct {
		view
		Key, Until, Again, Base string
		Renews                  bool
	}{view{l}, k.APIKey, l.Moment(k.ExpiresAt), "", s.BaseURL, renews}
	if k.APIKey == "" {
		return show(http.StatusOK, l, "extended.html", "extended", v)
	}
	if !until.IsZero() {
		v.Again = l.Moment(until)
	}
	return render(http.StatusOK, "key.html", page.Page{Language: l, Title: l.Text("key.title"),
		Scripts: []string{"pro.js"}}, v)
}

var confirmPages = map[string]struct{ block, path string }{
	NoSuchSession.Code:  {"unknown", "/v1/pro"},
	NotPro.Code:         {"foreign", "/v1/pro"},
	NotPaid.Code:        {"pending", "/v1/pro/conferma"},
	SessionExpired.Code: {"expired", "/v1/pro"},
	KeyIssued.Code:      {"issued", "/v1/pro/recupera"},
}

func confirmProblem(accept string, l *i18n.Language, session string, err error) (*page.Response, error) {
	var p *httpapi.Problem
	if !page.WantsHTML(accept) || !errors.As(err, &p) {
		return nil, err
	}
	known, ok := confirmPages[p.Code]
	if !ok {
		return nil, err
	}
	if known.block == "pending" {
		known.path += "?session_id=" + url.QueryEscape(session)
	}
	return showNotice(p.Status, l, "confirm."+known.block, page.AddressIn(l, known.path))
}

func showNotice(status int, l *i18n.Language, text, next string) (*page.Response, error) {
	title := l.Text("notice." + text + ".title")
	return render(status, "notice.html", page.Page{Language: l, Title: title}, struct {
		view
		Title, Next  string
		Lede, Action template.HTML
	}{view{l}, title, next, l.HTML("notice." + text + ".lede"), l.HTML("notice." + text + ".next")})
}

func showLink(status int, l *i18n.Language, block, action string) (*page.Response, error) {
	return show(status, l, block, "recovery."+block, struct {
		view
		Action string
	}{view{l}, action})
}
