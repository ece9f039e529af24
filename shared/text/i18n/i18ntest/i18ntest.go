// Package i18ntest provides a toy language, whose texts are the English ones between ⟦ and ⟧. Tests
// use it to find visible text that does not come from a catalogue.
package i18ntest

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"verdetto/shared/text/i18n"
)

func Toy(t testing.TB) *i18n.Language {
	t.Helper()
	const code = "eo"
	if toy, ok := i18n.Find(code); ok {
		return toy
	}
	english, err := i18n.Catalogue(i18n.English().Code)
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]any
	if err := toml.Unmarshal(english, &texts); err != nil {
		t.Fatal(err)
	}
	mark(texts)
	var marked bytes.Buffer
	if err := toml.NewEncoder(&marked).Encode(texts); err != nil {
		t.Fatal(err)
	}
	toy, err := i18n.Add(code, string(opens)+"Esperanto"+string(closes), "Esperanto", marked.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return toy
}

const (
	opens  = '⟦'
	closes = '⟧'
)

func mark(texts map[string]any) {
	for name, value := range texts {
		switch v := value.(type) {
		case map[string]any:
			mark(v)
		case string:
			texts[name] = string(opens) + v + string(closes)
		}
	}
}

var (
	// unread matches parts of a page that the function HTML does not check, such as code.
	unread = regexp.MustCompile(`(?s)<style.*?</style>|<script type="application/ld[+]json">.*?</script>|` +
		`<div lang="en" class="docs">.*</main>|<div lang="en".*?</div>|<a class="switch".*?</a>|` +
		`<pre.*?</pre>|<code.*?</code>| data-(?:share|with)="[^"]*"`)
	read = regexp.MustCompile(`<meta (?:name="description"|property="og:(?:title|description|image:alt)") ` +
		`content="([^"]*)"| (?:alt|placeholder|aria-label|data-[a-z]+)="([^"]*)"`)
	tag  = regexp.MustCompile(`(?s)<[^>]*>`)
	word = regexp.MustCompile(`\p{L}+`)
)

// HTML accepts words outside ⟦ and ⟧ if they are in names.
func HTML(t testing.TB, page string, names ...string) {
	t.Helper()
	page = unread.ReplaceAllString(page, "")
	var all strings.Builder
	for _, found := range read.FindAllStringSubmatch(page, -1) {
		all.WriteString(found[1] + found[2] + "\n")
	}
	all.WriteString(tag.ReplaceAllString(page, "\n"))
	Text(t, html.UnescapeString(all.String()), names...)
}

func Text(t testing.TB, text string, names ...string) {
	t.Helper()
	if !strings.ContainsRune(text, opens) {
		t.Errorf("nothing is in the toy language:\n%s", text)
	}
	var left strings.Builder
	depth := 0
	for _, r := range text {
		switch {
		case r == opens:
			depth++
		case r == closes:
			depth--
			left.WriteByte(' ')
		case depth == 0:
			left.WriteRune(r)
		}
	}
	names = append(names, "Verdetto")
	for _, w := range word.FindAllString(left.String(), -1) {
		if !slices.Contains(names, w) {
			t.Errorf("%q is not in the toy language:\n%s", w, strings.Join(strings.Fields(left.String()), " "))
			return
		}
	}
}
