package reference

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"
	text "text/template"

	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

//go:embed docs.html
var docsTemplate string

var docsHTML = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("docs").Funcs(template.FuncMap{"code": code}).Parse(docsTemplate))
})

func code(s string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(s, "`") {
		escaped := template.HTMLEscapeString(part)
		if i%2 == 1 {
			escaped = "<code>" + escaped + "</code>"
		}
		b.WriteString(escaped)
	}
	return template.HTML(b.String())
}

//go:embed llms.txt.tmpl
var llmsTemplate string

var llmsText = sync.OnceValue(func() *text.Template { return text.Must(text.New("llms").Parse(llmsTemplate)) })

type docsInput struct {
	Accept         string `header:"Accept"`
	AcceptLanguage string `header:"Accept-Language"`
}

type sectionInput struct {
	Accept         string `header:"Accept"`
	AcceptLanguage string `header:"Accept-Language"`
	Section        string `query:"sezione" enum:"fares,trends,alerts,plan,usdc,x402,service" doc:"Only this group's endpoints"`
}

func (s *Service) registerDocs(api *httpapi.API) {
	httpapi.JSON(api, "docs", httpapi.JSONDoc{
		Summary: "The reference of the API",
		Description: "Returns endpoints, problem codes with what to do, quotas, units, and how to get a " +
			"Pro key, as JSON or as a page.",
		Answer: Reference{},
		Pages:  []int{http.StatusOK},
	}, nil, func(_ context.Context, in *sectionInput) (*page.Response, error) {
		r, err := reference(api)
		if err != nil {
			return nil, err
		}
		l := i18n.ForHeader(in.AcceptLanguage)
		p := page.Page{Language: l, Title: l.Text("docs.title"), Description: l.Text("docs.summary"),
			Styles: []string{"docs.css"}, Scripts: []string{"docs.js"}}
		view := docsPage{Reference: r, Address: cmp.Or(s.BaseURL, "http://127.0.0.1:8080")}
		if i := slices.IndexFunc(sections, func(s section) bool { return s.Name == in.Section }); i >= 0 {
			view.Section = &sections[i]
			r.Endpoints = inSection(r.Endpoints, in.Section)
			p.Title = view.Section.Title + " · " + p.Title
		}
		return answer(&docsInput{in.Accept, in.AcceptLanguage}, r, view, docsHTML(), p)
	})
	httpapi.JSON(api, "llms", httpapi.JSONDoc{Summary: "The service in one page of text"}, nil,
		func(_ context.Context, in *cachedInput) (*httpapi.Tagged, error) {
			text, err := InShort(api)
			if err != nil {
				return nil, err
			}
			return httpapi.Tag(in.IfNoneMatch, "text/plain; charset=utf-8", text), nil
		})
}

func InShort(api *httpapi.API) ([]byte, error) {
	r, err := reference(api)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := llmsText().Execute(&b, r); err != nil {
		return nil, fmt.Errorf("write llms.txt: %w", err)
	}
	return b.Bytes(), nil
}

// answer writes a document, which is in English, as JSON or on a page in the reader's language.
func answer(in *docsInput, document, view any, html *template.Template, p page.Page) (*page.Response, error) {
	if page.WantsHTML(in.Accept) {
		var body bytes.Buffer
		if err := html.Execute(&body, view); err != nil {
			return nil, fmt.Errorf("write page: %w", err)
		}
		p.Index, p.Body = true, template.HTML(body.String())
		return page.Respond(http.StatusOK, p)
	}
	body, err := json.Marshal(document)
	if err != nil {
		return nil, fmt.Errorf("write document: %w", err)
	}
	return &page.Response{Status: http.StatusOK, ContentType: "application/json",
		Vary: "Accept, Accept-Language", Body: body}, nil
}
