// Package i18n holds the texts that people read, one catalogue per language. It also formats
// numbers, money, dates and lists. Start with Language.Text.
//
// To add a language, add a catalogue file such as en.toml, and a line in the variable languages. If
// a catalogue lacks a text, Language.Text returns the English one.
package i18n

import (
	"embed"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

// languages are in the order of display, and the first one is the default.
var languages = []*Language{
	{Code: "it", Name: "Italiano", English: "Italian"},
	{Code: "en", Name: "English", English: "English"},
	{Code: "de", Name: "Deutsch", English: "German"},
	{Code: "fr", Name: "Français", English: "French"},
	{Code: "es", Name: "Español", English: "Spanish"},
	{Code: "pt", Name: "Português", English: "Portuguese"},
}

type Language struct {
	Code string

	// Name and English stand outside the catalogues, so that a page can list languages without
	// parsing catalogues.
	Name, English string

	once  sync.Once
	tag   language.Tag
	texts map[string]*text

	amounts *amounts
}

//go:embed *.toml
var catalogues embed.FS

func Catalogue(code string) ([]byte, error) { return catalogues.ReadFile(code + ".toml") }

func (l *Language) read(catalogue []byte) error {
	messages, err := i18n.ParseMessageBytes(catalogue, toml.Unmarshal)
	if err != nil {
		return fmt.Errorf("read catalogue %s: %w", l.Code, err)
	}
	l.tag, l.texts = language.Make(l.Code), make(map[string]*text, len(messages))
	for _, m := range messages {
		l.texts[m.ID] = &text{Message: m}
	}
	return nil
}

// Add must be called before the process serves requests.
func Add(code, name, english string, catalogue []byte) (*Language, error) {
	l := &Language{Code: code, Name: name, English: english}
	if err := l.read(catalogue); err != nil {
		return nil, err
	}
	l.once.Do(func() {})
	languages = append(languages, l)
	return l, nil
}

func Languages() []*Language { return languages }

func Codes() []string {
	var all []string
	for _, l := range languages {
		all = append(all, l.Code)
	}
	return all
}

func Spoken() string {
	var names []string
	for _, l := range languages {
		names = append(names, l.English)
	}
	return or(names)
}

func SpokenCodes() string { return or(Codes()) }

func or(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

func Default() *Language { return languages[0] }

func English() *Language { return ForCode(language.English.String()) }

func Find(code string) (l *Language, ok bool) {
	for _, l := range languages {
		if l.Code == code {
			return l, true
		}
	}
	return nil, false
}

// ForCode returns English for an unknown code, because a stored code may belong to a language that
// was removed since.
func ForCode(code string) *Language {
	if l, ok := Find(code); ok {
		return l
	}
	l, _ := Find(language.English.String())
	return l
}

// ForHeader ignores regions: pt-BR is Portuguese.
func ForHeader(header string) *Language {
	if l, ok := Match(header); ok {
		return l
	}
	return Default()
}

func Choose(code, header string) *Language {
	if l, ok := Find(code); ok {
		return l
	}
	return ForHeader(header)
}

func Match(header string) (l *Language, ok bool) {
	tags, _, _ := language.ParseAcceptLanguage(header) // tags is sorted by weight, and nil if the header is malformed
	for _, tag := range tags {
		primary, _ := tag.Base()
		if l, ok := Find(primary.String()); ok {
			return l, true
		}
	}
	return nil, false
}

// In fill, the name of each placeholder is followed by its value. Text panics if the id is unknown
// or a value is missing that the text needs.
func (l *Language) Text(id string, fill ...any) string { return l.fill(id, nil, fill) }

func (l *Language) Lookup(id string) (text string, ok bool) {
	if m := l.messages()[id]; m != nil {
		return m.Other, true
	}
	return "", false
}

// Count returns a text in the plural form for n and fills n into the placeholder Count.
func (l *Language) Count(id string, n int, fill ...any) string {
	return l.fill(id, &n, append(fill, "Count", n))
}

// HTML escapes every value that is not a template.HTML.
func (l *Language) HTML(id string, fill ...any) template.HTML {
	for i := 1; i < len(fill); i += 2 {
		if _, safe := fill[i].(template.HTML); !safe {
			fill[i] = template.HTMLEscaper(fill[i])
		}
	}
	return template.HTML(l.fill(id, nil, fill))
}

var unemphasized = strings.NewReplacer("<strong>", "", "</strong>", "", "<code>", "", "</code>", "")

func (l *Language) Plain(id string, fill ...any) string {
	return unemphasized.Replace(l.fill(id, nil, fill))
}

func (l *Language) messages() map[string]*text {
	if l.amounts != nil {
		return l.amounts.language.messages()
	}
	l.once.Do(func() {
		catalogue, err := Catalogue(l.Code)
		if err == nil {
			err = l.read(catalogue)
		}
		if err != nil {
			panic(err) // a bug: the embedded catalogue is missing or malformed
		}
	})
	return l.texts
}

func (l *Language) fill(id string, count *int, fill []any) string {
	if l.amounts != nil { // amounts in fill are already written in the currency
		return l.amounts.language.fill(id, count, fill)
	}
	m := l.messages()[id]
	if m == nil {
		if english := English(); l != english {
			return english.fill(id, count, fill)
		}
		panic(fmt.Sprintf("i18n: no text %s", id))
	}
	form := plural.Other
	if count != nil {
		form = l.form(*count)
	}
	filled, err := m.parse(form).execute(fill)
	if err != nil {
		panic(fmt.Sprintf("i18n: text %s in %s: %v", id, l.Code, err))
	}
	return filled
}

func (l *Language) form(n int) plural.Form {
	return plural.Cardinal.MatchPlural(l.tag, max(n, -n), 0, 0, 0, 0)
}
