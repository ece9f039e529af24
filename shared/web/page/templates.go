package page

import (
	"embed"
	"html/template"
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"verdetto/shared/text/i18n"
)

// Templates are parsed for each language on first use. Texts without placeholders then become
// constants, which saves a call for each such text.
type Templates struct {
	Files  embed.FS
	Funcs  template.FuncMap
	parsed sync.Map
}

var constantText = regexp.MustCompile(`\{\{(?:\$t|\$?\.T|\.Language)\.(Text|HTML) "([a-z_.]+)"\}\}`)

func (t *Templates) In(l *i18n.Language) *template.Template {
	if known, ok := t.parsed.Load(l.Code); ok {
		return known.(*template.Template)
	}
	files, err := fs.Glob(t.Files, "*.html")
	if err != nil {
		panic(err)
	}
	all := template.New("").Funcs(t.Funcs)
	for _, name := range files {
		source, err := fs.ReadFile(t.Files, name)
		if err != nil {
			panic(err)
		}
		template.Must(all.New(name).Parse(constantText.ReplaceAllStringFunc(string(source), func(call string) string {
			parts := constantText.FindStringSubmatch(call)
			text := l.Text(parts[2])
			if parts[1] == "Text" {
				text = Escape.Replace(text)
			}
			return text
		})))
	}
	t.parsed.Store(l.Code, all)
	return all
}

// Escape escapes as html/template does.
var Escape = strings.NewReplacer("\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;",
	"<", "&lt;", ">", "&gt;")
