package i18n

import (
	"fmt"
	"strings"
	texttemplate "text/template"

	"github.com/nicksnyder/go-i18n/v2/i18n/template"
	"golang.org/x/text/unicode/norm"
)

// textParser parses the texts of catalogues as templates. Unlike go-i18n's own parser, textParser
// lets go-i18n cache parsed templates that use functions.
type textParser struct{}

func (textParser) Cacheable() bool { return true }

func (textParser) Parse(text, _, _ string) (template.ParsedTemplate, error) {
	if !strings.Contains(text, "{{") {
		return fixed(text), nil
	}
	t, err := texttemplate.New("").Option("missingkey=error").Funcs(texttemplate.FuncMap{"begins": begins}).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("parse text: %w", err)
	}
	return filled{t}, nil
}

type fixed string

func (f fixed) Execute(any) (string, error) { return string(f), nil }

type filled struct{ *texttemplate.Template }

func (f filled) Execute(values any) (string, error) {
	var b strings.Builder
	if err := f.Template.Execute(&b, values); err != nil {
		return "", fmt.Errorf("fill text: %w", err)
	}
	return b.String(), nil
}

// begins reports whether a text starts with one of the prefixes in with. It ignores case and
// accents.
func begins(text string, with ...string) bool {
	text = norm.NFD.String(strings.ToLower(text))
	for _, w := range with {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return false
}
