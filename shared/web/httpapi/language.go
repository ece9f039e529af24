package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/text/i18n"
	"verdetto/shared/web/routes"
)

type LanguageInput struct {
	Lang languageCode `query:"lang" doc:"Language of sentences and city names, before Accept-Language, which counts only where no shared cache keeps answers. Default: English sentences, and names as described"`
}

type languageCode string

func (languageCode) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString}
	for _, code := range i18n.Codes() {
		s.Enum = append(s.Enum, code)
	}
	return s
}

func Language(ctx context.Context) *i18n.Language { return callOf(ctx).language }

// The key of a shared cache includes the parameters but not the header Accept-Language, so the
// header counts only if the edge does not cache the answers.
func chosenLanguage(r *http.Request, e *endpoint) *i18n.Language {
	if e == nil || !e.route.Described() || strings.Contains(r.Header.Get("Accept"), "text/html") {
		return nil
	}
	query := r.URL.Query()
	for _, name := range []string{"lang", synonym("lang")} {
		if l, ok := i18n.Find(query.Get(name)); ok {
			return l
		}
	}
	if e.route.Edge != (routes.Edge{}) {
		return nil
	}
	l, _ := i18n.Match(r.Header.Get("Accept-Language"))
	return l
}

func (t ProblemType) Translated(detail func(l *i18n.Language) string) *Problem {
	p := t.Problem(detail(i18n.English()))
	p.translated = detail
	return p
}

// In returns the problem with its detail in the given language. The faults stay in English, because
// they name parameters.
func (p *Problem) In(l *i18n.Language) *Problem {
	if l == nil || l == i18n.English() {
		return p
	}
	detail, ok := l.Lookup("problem.code." + p.Code)
	if p.translated != nil {
		detail, ok = p.translated(l), true
	}
	if !ok {
		return p
	}
	other := *p
	other.Detail = detail
	return &other
}

func written(ctx context.Context, body any) (any, error) {
	c := callOf(ctx)
	if p, ok := body.(*Problem); ok {
		return p.In(c.language), nil
	}
	if _, encoded := body.([]byte); encoded || c.fields == nil {
		return body, nil
	}
	return c.fields.Shorten(body)
}
