package i18n

import (
	"cmp"
	"fmt"
	"strings"
	"sync/atomic"
	"text/template"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/unicode/norm"
)

// If all placeholders of a text are as simple as {{.City}}, conditions is nil and pieces suffice.
type parsed struct {
	pieces     []piece
	conditions *template.Template
}

type piece struct{ constant, name string }

type text struct {
	*i18n.Message
	parsed [plural.Many + 1]atomic.Pointer[parsed]
}

func (t *text) parse(form plural.Form) *parsed {
	if known := t.parsed[form].Load(); known != nil {
		return known
	}
	p := parseText(cmp.Or(t.source(form), t.Other))
	t.parsed[form].Store(p)
	return p
}

func (t *text) source(form plural.Form) string {
	switch form {
	case plural.Zero:
		return t.Zero
	case plural.One:
		return t.One
	case plural.Two:
		return t.Two
	case plural.Few:
		return t.Few
	case plural.Many:
		return t.Many
	}
	return t.Other
}

func parseText(source string) *parsed {
	p := new(parsed)
	rest := source
	for rest != "" {
		constant, after, found := strings.Cut(rest, "{{")
		p.pieces = append(p.pieces, piece{constant: constant})
		if !found {
			break
		}
		inside, next, closed := strings.Cut(after, "}}")
		name, isField := strings.CutPrefix(inside, ".")
		if !closed || !isField || strings.ContainsAny(name, " .|(") {
			p.conditions = template.Must(template.New("").Option("missingkey=error").
				Funcs(template.FuncMap{"begins": begins}).Parse(source)) // a malformed text fails TestCatalogues
			break
		}
		p.pieces, rest = append(p.pieces, piece{name: name}), next
	}
	return p
}

func (p *parsed) execute(fill []any) (string, error) {
	var b strings.Builder
	if p.conditions != nil {
		values := make(map[string]any, len(fill)/2)
		for i := 0; i+1 < len(fill); i += 2 {
			values[fill[i].(string)] = fill[i+1]
		}
		if err := p.conditions.Execute(&b, values); err != nil {
			return "", fmt.Errorf("fill text: %w", err)
		}
		return b.String(), nil
	}
	if len(p.pieces) == 1 {
		return p.pieces[0].constant, nil
	}
	for _, piece := range p.pieces {
		b.WriteString(piece.constant)
		if piece.name == "" {
			continue
		}
		value, ok := valueOf(piece.name, fill)
		if !ok {
			return "", fmt.Errorf("no value for %s", piece.name)
		}
		if text, ok := value.(string); ok {
			b.WriteString(text)
		} else {
			fmt.Fprint(&b, value)
		}
	}
	return b.String(), nil
}

func valueOf(name string, fill []any) (value any, ok bool) {
	for i := len(fill) - 2; i >= 0; i -= 2 {
		if fill[i] == name {
			return fill[i+1], true
		}
	}
	return nil, false
}

// begins ignores the case of text. If a prefix ends in a letter without an accent, this letter in text
// may have an accent. Prefixes must be in lower case.
func begins(text string, with ...string) bool {
	text = norm.NFD.String(strings.ToLower(text))
	for _, w := range with {
		if strings.HasPrefix(text, norm.NFD.String(w)) {
			return true
		}
	}
	return false
}
