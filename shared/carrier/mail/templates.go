package mail

import (
	"embed"
	"fmt"
	"html"
	htmltemplate "html/template"
	"strings"
	"sync"
	texttemplate "text/template"
	"unicode/utf8"
)

//go:embed *.tmpl
var templates embed.FS

// They are read when the first mail is written: most processes write none.
var (
	textTemplates = sync.OnceValue(func() *texttemplate.Template {
		return texttemplate.Must(texttemplate.New("").Funcs(texttemplate.FuncMap{"wrap": wrap, "upper": strings.ToUpper, "plain": unemphasized}).ParseFS(templates, "*.txt.tmpl"))
	})
	htmlTemplates = sync.OnceValue(func() *htmltemplate.Template {
		return htmltemplate.Must(htmltemplate.ParseFS(templates, "*.html.tmpl"))
	})
)

// bodies writes a mail as plain text and as HTML.
func bodies(name string, view any) (text, asHTML string, err error) {
	var t, h strings.Builder
	if err := textTemplates().ExecuteTemplate(&t, name+".txt.tmpl", view); err != nil {
		return "", "", fmt.Errorf("write text: %w", err)
	}
	if err := htmlTemplates().ExecuteTemplate(&h, name+".html.tmpl", view); err != nil {
		return "", "", fmt.Errorf("write HTML: %w", err)
	}
	return t.String(), h.String(), nil
}

// unemphasized is a text without its emphasis.
func unemphasized(text htmltemplate.HTML) string {
	return html.UnescapeString(strings.NewReplacer("<strong>", "", "</strong>", "", "<code>", "", "</code>", "").Replace(string(text)))
}

// wrap joins sentences and breaks them into lines of at most so many characters.
func wrap(width int, sentences ...string) string {
	var b strings.Builder
	used := 0
	for _, word := range strings.Split(strings.Join(sentences, " "), " ") {
		length := utf8.RuneCountInString(word)
		switch {
		case used == 0:
		case used+1+length > width:
			b.WriteByte('\n')
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += length
	}
	return b.String()
}
