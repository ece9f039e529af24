package mail

import (
	"embed"
	"errors"
	"fmt"
	"html"
	htmltemplate "html/template"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"
	"unicode/utf8"
)

//go:embed *.tmpl
var templates embed.FS

var (
	textTemplates = sync.OnceValue(func() *texttemplate.Template {
		return texttemplate.Must(texttemplate.New("").Funcs(texttemplate.FuncMap{"wrap": wrap,
			"upper": strings.ToUpper, "plain": unemphasized}).ParseFS(templates, "*.txt.tmpl"))
	})
	htmlTemplates = sync.OnceValue(func() *htmltemplate.Template {
		return htmltemplate.Must(htmltemplate.ParseFS(templates, "*.html.tmpl"))
	})
)

// Write fills m with the templates name.txt.tmpl and name.html.tmpl. Links must be https, or http
// to this machine.
func Write(name string, m Message, links []string, view any) (Message, error) {
	to, err := ParseAddress(m.To)
	if m.To = to; err == nil {
		err = checkLinks(links)
	}
	if err == nil {
		m.Text, m.HTML, err = bodies(name, view)
	}
	if err == nil {
		err = check(m)
	}
	if err != nil {
		return Message{}, fmt.Errorf("write mail %s: %w", name, err)
	}
	return m, nil
}

func checkLinks(links []string) error {
	for _, link := range links {
		if err := checkUnsubscribe(link); err != nil {
			return fmt.Errorf("link: %w", err)
		}
	}
	return nil
}

func bodies(name string, view any) (text, asHTML string, err error) {
	var t, h strings.Builder
	err = errors.Join(textTemplates().ExecuteTemplate(&t, name+".txt.tmpl", view),
		htmlTemplates().ExecuteTemplate(&h, name+".html.tmpl", view))
	return t.String(), h.String(), err
}

func unemphasized(text htmltemplate.HTML) string {
	return html.UnescapeString(strings.NewReplacer("<strong>", "", "</strong>", "", "<code>", "", "</code>",
		"").Replace(string(text)))
}

func wrap(width int, sentences ...string) string {
	var b strings.Builder
	used := 0
	sentences = slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
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
