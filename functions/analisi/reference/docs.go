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
	text "text/template"

	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

//go:embed docs.html
var docsTemplate string

var docsHTML = template.Must(template.New("docs").Funcs(template.FuncMap{"code": code}).Parse(docsTemplate))

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

var llmsText = text.Must(text.New("llms").Parse(llmsTemplate))

type docsInput struct {
	Accept         string `header:"Accept"`
	AcceptLanguage string `header:"Accept-Language"`
}

// docsPage is the reference on a page.
type docsPage struct {
	Reference
	Address string // the service's, for a first call
}

// group is a group of endpoints on the page.
type group struct {
	Name, Title string
	Endpoints   []ReferenceEndpoint
}

// Groups returns the endpoints in the order in which a newcomer needs them.
func (p docsPage) Groups() []group {
	groups := []group{
		{Name: "fares", Title: "Verdicts and fares"}, {Name: "trends", Title: "Price trends"},
		{Name: "alerts", Title: "Alerts"}, {Name: "plan", Title: "The paid plan, by card"},
		{Name: "usdc", Title: "The paid plan, in USDC"}, {Name: "x402", Title: "Single answers for USDC"},
		{Name: "service", Title: "About the service"},
	}
	for _, e := range p.Endpoints {
		of := map[string]string{"pricetrends": "trends", "alerts": "alerts", "pro": "plan", "x402": "x402"}[e.Group]
		switch {
		case strings.Contains(e.Path, "cripta"):
			of = "usdc"
		case of == "plan" && !strings.HasPrefix(e.Path, "/v1/pro"), e.Name == "index", e.Name == "openapi",
			e.Name == "docs", e.Name == "agenti":
			of = "service"
		case of == "":
			of = "fares"
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.Name == of })
		groups[i].Endpoints = append(groups[i].Endpoints, e)
	}
	return groups
}

// registerDocs publishes the reference: as JSON, as a page, and as a short text.
func (s *Service) registerDocs(api *httpapi.API) {
	httpapi.JSON(api, "docs", httpapi.JSONDoc{
		Summary: "The reference of the API",
		Description: "Returns endpoints, problem codes with what to do, quotas, units, and how to get a " +
			"Pro key, as JSON or as a page.",
		Answer: Reference{},
		Pages:  []int{http.StatusOK},
	}, nil, func(_ context.Context, in *docsInput) (*page.Response, error) {
		r, err := reference()
		if err != nil {
			return nil, err
		}
		l := i18n.ForHeader(in.AcceptLanguage)
		return answer(in, r, docsPage{r, cmp.Or(s.BaseURL, "http://127.0.0.1:8080")}, docsHTML, page.Page{Language: l,
			Title: l.Text("docs.title"), Description: l.Text("docs.summary")})
	})
	httpapi.JSON(api, "llms", httpapi.JSONDoc{Summary: "The service in one page of text"}, nil,
		func(_ context.Context, in *cachedInput) (*httpapi.Tagged, error) {
			text, err := InShort()
			if err != nil {
				return nil, err
			}
			return httpapi.Tag(in.IfNoneMatch, "text/plain; charset=utf-8", text), nil
		})
}

// InShort returns the reference as one page of text, for language models.
func InShort() ([]byte, error) {
	r, err := reference()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := llmsText.Execute(&b, r); err != nil {
		return nil, fmt.Errorf("write llms.txt: %w", err)
	}
	return b.Bytes(), nil
}

// answer returns a document as JSON, or its view on a page if the caller prefers HTML. The document
// is in English; the page around it is in the reader's language.
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
