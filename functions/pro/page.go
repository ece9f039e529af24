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

// pages are read when the first one is asked for: most calls are a program's, which see none.
var pages = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(templates, "*.html")) })

// Reader is who reads a page: in the language of the link that led there, or else
// in one that the browser asks for.
type Reader struct {
	Lang           string `query:"lang" doc:"Code of the language of texts for people, before Accept-Language"`
	AcceptLanguage string `header:"Accept-Language"`
}

func (r Reader) language() *i18n.Language {
	if l, ok := i18n.Find(r.Lang); ok {
		return l
	}
	return i18n.Accepted(r.AcceptLanguage)
}

// view is what all pages show.
type view struct{ T *i18n.Language }

// At is the address of another page in the reader's language.
func (v view) At(path string) string { return page.In(v.T, path) }

// render writes a page: a block of the templates.
func render(status int, block string, p page.Page, v any) (*page.Response, error) {
	var body bytes.Buffer
	if err := pages().ExecuteTemplate(&body, block, v); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	p.Body = template.HTML(body.String())
	return page.Respond(status, p)
}

// show writes a page that nobody has to find, under the title of a text.
func show(status int, l *i18n.Language, block, text string, v any) (*page.Response, error) {
	return render(status, block, page.Page{Language: l, Title: l.Text(text + ".title")}, v)
}

// asking is the page that asks for the address of a plan: a block of the templates.
func asking(block, path string) func(context.Context, *Reader) (*page.Response, error) {
	return func(_ context.Context, in *Reader) (*page.Response, error) {
		l := in.language()
		return render(http.StatusOK, block, page.Page{Language: l, Title: l.Text(block + ".title"),
			Others: page.InAll(l, path)}, view{l})
	}
}

// asJSON answers a program where a person is shown a page.
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

// showCheckout tells where to pay: as JSON, or as a page with a link where HTML
// is asked for. It does not redirect: browsers hold the answer to a form to the
// page's policy, which lets forms lead nowhere but here.
func showCheckout(accept string, l *i18n.Language, c checkoutBegun) (*page.Response, error) {
	if !page.WantsHTML(accept) {
		return asJSON(http.StatusOK, c)
	}
	return show(http.StatusOK, l, "checkout.html", "checkout", struct {
		view
		URL string
	}{view{l}, c.URL})
}

// showIssued shows what was bought as a page; until is when the page can be looked at no more, zero for at once.
func (s *Service) showIssued(l *i18n.Language, k issued, until time.Time, renews bool) (*page.Response, error) {
	v := struct {
		guardView
		Until, Again, Base string
		Renews             bool
	}{guardView{view{l}, k.guard, k.APIKey, ""}, l.Moment(k.ExpiresAt), "", s.BaseURL, renews}
	if k.APIKey == "" {
		return show(http.StatusOK, l, "extended.html", "extended", v)
	}
	if !until.IsZero() {
		v.Again = l.Moment(until)
	}
	return render(http.StatusOK, "key.html", page.Page{Language: l, Title: l.Text("key.title"),
		Scripts: []string{"pro.js"}}, v)
}

// confirmPages are the problems of a confirmation that a person is shown in words
// of her own language, by their codes, with where to go from there.
var confirmPages = map[string]struct{ block, path string }{
	NoSuchSession.Code:  {"unknown", "/v1/pro"},
	NotPro.Code:         {"foreign", "/v1/pro"},
	NotPaid.Code:        {"pending", "/v1/pro/conferma"},
	SessionExpired.Code: {"expired", "/v1/pro"},
	KeyIssued.Code:      {"issued", "/v1/pro/recupera"},
}

// confirmProblem shows a problem of a confirmation to a person; any other error, and any to a
// program, stays what it is.
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
	return showNotice(p.Status, l, "confirm."+known.block, page.In(l, known.path))
}

// showNotice shows a page that says one thing, and leads on to another.
func showNotice(status int, l *i18n.Language, text, next string) (*page.Response, error) {
	title := l.Text("notice." + text + ".title")
	return render(status, "notice.html", page.Page{Language: l, Title: title}, struct {
		view
		Title, Next  string
		Lede, Action template.HTML
	}{view{l}, title, next, l.HTML("notice." + text + ".lede"), l.HTML("notice." + text + ".next")})
}

// showLink shows what a link of a mail leads to: a block of link.html.
func showLink(status int, l *i18n.Language, block, action string) (*page.Response, error) {
	return show(status, l, block, "recovery."+block, struct {
		view
		Action string
	}{view{l}, action})
}
