// Package i18n holds what people read: one catalogue of texts for each language, and how
// the language writes numbers, money, dates and lists.
//
// A language is added by its catalogue, such as en.toml, and its line in the list below.
// A text that a catalogue lacks is shown in English. A catalogue is read when its first
// text is asked for, since that takes milliseconds and most processes read none.
package i18n

import (
	"embed"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
)

// languages are in the order in which they are offered. The first one is spoken
// to readers who ask for none of them.
var languages = []*Language{
	{Code: "it", Name: "Italiano", English: "Italian"},
	{Code: "en", Name: "English", English: "English"},
	{Code: "de", Name: "Deutsch", English: "German"},
	{Code: "fr", Name: "Français", English: "French"},
	{Code: "es", Name: "Español", English: "Spanish"},
	{Code: "pt", Name: "Português", English: "Portuguese"},
}

// Language is a language that texts are written in.
type Language struct {
	Code string // of BCP 47

	// Name is what its readers call it, English its name in English. They stand here, since
	// every page names all languages, and every process describes the API: neither reads a catalogue for it.
	Name, English string

	once  sync.Once
	texts *i18n.Localizer // made once
	// texts that nothing is filled into, by id: a page of numbers asks for some of them hundreds of times
	fixed sync.Map

	amounts *amounts // nil: euros
}

//go:embed *.toml
var catalogues embed.FS

// Catalogue gives the file of a language.
func Catalogue(code string) ([]byte, error) { return catalogues.ReadFile(code + ".toml") }

// read makes a language speak a catalogue. Each has a bundle of its own: what one
// lacks is looked for in the English one by localize, and not before.
func (l *Language) read(catalogue []byte) error {
	tag := language.Make(l.Code)
	b := i18n.NewBundle(tag)
	if _, err := b.ParseMessageBytes(tag, catalogue, toml.Unmarshal); err != nil {
		return fmt.Errorf("read catalogue %s: %w", l.Code, err)
	}
	l.texts = i18n.NewLocalizer(b, l.Code)
	return nil
}

// Add adds a language by its code, its names and its catalogue, before the process serves anybody.
func Add(code, name, english string, catalogue []byte) (*Language, error) {
	l := &Language{Code: code, Name: name, English: english}
	if err := l.read(catalogue); err != nil {
		return nil, err
	}
	l.once.Do(func() {})
	languages = append(languages, l)
	return l, nil
}

// Languages lists them in the order in which they are offered.
func Languages() []*Language { return languages }

// Codes lists their codes.
func Codes() []string {
	var all []string
	for _, l := range languages {
		all = append(all, l.Code)
	}
	return all
}

// Spoken names the languages in English, as in "Italian, English or German".
func Spoken() string {
	var names []string
	for _, l := range languages {
		names = append(names, l.English)
	}
	return or(names)
}

// SpokenCodes lists their codes, as in "it, en or de".
func SpokenCodes() string { return or(Codes()) }

func or(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Default is the language of readers who ask for none that there is.
func Default() *Language { return languages[0] }

// English is the language of what is published for programs.
func English() *Language { return In(language.English.String()) }

// Find gives the language of a code.
func Find(code string) (l *Language, ok bool) {
	for _, l := range languages {
		if l.Code == code {
			return l, true
		}
	}
	return nil, false
}

// In gives the language of a code, or English where there is none: a stored code
// may be of a language that is no longer spoken.
func In(code string) *Language {
	if l, ok := Find(code); ok {
		return l
	}
	l, _ := Find(language.English.String())
	return l
}

// Accepted returns the language that an Accept-Language header prefers, or else the
// default. Regions do not count: pt-BR is Portuguese.
func Accepted(header string) *Language {
	tags, _, _ := language.ParseAcceptLanguage(header) // by weight; none if the header is malformed
	for _, tag := range tags {
		primary, _ := tag.Base()
		if l, ok := Find(primary.String()); ok {
			return l
		}
	}
	return Default()
}

// Text gives a text with its placeholders filled in: after the id stand the name
// and the value of each in turn. An id or a name that is wrong is a fault of
// ours, which this package's tests find: it panics.
func (l *Language) Text(id string, fill ...any) string { return l.fill(id, nil, fill) }

// Lookup gives a text that nothing is filled into; false where there is none of that id.
func (l *Language) Lookup(id string) (text string, ok bool) {
	text, _ = l.localizer().Localize(&i18n.LocalizeConfig{MessageID: id, TemplateParser: textParser{}})
	return text, text != ""
}

// Count gives the text for a number of things, which it fills in as Count.
func (l *Language) Count(id string, n int, fill ...any) string {
	return l.fill(id, n, append(fill, "Count", n))
}

// HTML gives a text that may hold markup. What it is filled in with is escaped
// unless it is template.HTML.
func (l *Language) HTML(id string, fill ...any) template.HTML {
	for i := 1; i < len(fill); i += 2 {
		if _, safe := fill[i].(template.HTML); !safe {
			fill[i] = template.HTMLEscaper(fill[i])
		}
	}
	return template.HTML(l.fill(id, nil, fill))
}

var unemphasized = strings.NewReplacer("<strong>", "", "</strong>", "", "<code>", "", "</code>", "")

// Plain gives a text that may hold emphasis without it.
func (l *Language) Plain(id string, fill ...any) string {
	return unemphasized.Replace(l.fill(id, nil, fill))
}

func (l *Language) localizer() *i18n.Localizer {
	if l.amounts != nil {
		return l.amounts.in.localizer()
	}
	l.once.Do(func() {
		catalogue, err := Catalogue(l.Code)
		if err == nil {
			err = l.read(catalogue)
		}
		if err != nil {
			panic(err) // they are embedded
		}
	})
	return l.texts
}

func (l *Language) fill(id string, count any, fill []any) string {
	if len(fill) > 0 {
		return l.localize(id, count, fill)
	}
	if text, ok := l.fixed.Load(id); ok {
		return text.(string)
	}
	text := l.localize(id, nil, nil)
	l.fixed.Store(id, text)
	return text
}

func (l *Language) localize(id string, count any, fill []any) string {
	values := make(map[string]any, len(fill)/2)
	for i := 0; i+1 < len(fill); i += 2 {
		values[fill[i].(string)] = fill[i+1]
	}
	// Where it falls back to the form "other", it reports which one was missing.
	text, err := l.localizer().Localize(&i18n.LocalizeConfig{MessageID: id, TemplateData: values, PluralCount: count,
		TemplateParser: textParser{}})
	if english := English(); text == "" && l != english {
		return english.localize(id, count, fill)
	}
	if text == "" {
		panic(fmt.Sprintf("i18n: text %s in %s: %v", id, l.Code, err))
	}
	return text
}
