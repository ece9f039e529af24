// Package i18n holds the texts that people read, one catalogue per language. It also formats
// numbers, money, dates and lists. Start with Language.Text.
//
// To add a language, add its catalogue, such as en.toml, and its line in languages. A text
// missing in a catalogue is shown in English. A catalogue is parsed at its first use: that takes
// milliseconds, and most processes need none.
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

// languages is in the order of display. Readers for whose languages there is no catalogue get the
// first one.
var languages = []*Language{
	{Code: "it", Name: "Italiano", English: "Italian"},
	{Code: "en", Name: "English", English: "English"},
	{Code: "de", Name: "Deutsch", English: "German"},
	{Code: "fr", Name: "Français", English: "French"},
	{Code: "es", Name: "Español", English: "Spanish"},
	{Code: "pt", Name: "Português", English: "Portuguese"},
}

// Language is a language with its texts and formats.
type Language struct {
	Code string // a BCP 47 code

	// Name is the language's own name, English its English name. They are not in the catalogue:
	// every page and the API's description list them, without parsing catalogues.
	Name, English string

	once  sync.Once
	texts *i18n.Localizer // created once
	// fixed caches texts without placeholders, by id: a page with many numbers needs some of them
	// hundreds of times.
	fixed sync.Map

	amounts *amounts // nil: euros
}

//go:embed *.toml
var catalogues embed.FS

// Catalogue returns the file of a language.
func Catalogue(code string) ([]byte, error) { return catalogues.ReadFile(code + ".toml") }

// read parses a catalogue into a language. Each language has its own bundle, so that only
// localize falls back to English.
func (l *Language) read(catalogue []byte) error {
	tag := language.Make(l.Code)
	b := i18n.NewBundle(tag)
	if _, err := b.ParseMessageBytes(tag, catalogue, toml.Unmarshal); err != nil {
		return fmt.Errorf("read catalogue %s: %w", l.Code, err)
	}
	l.texts = i18n.NewLocalizer(b, l.Code)
	return nil
}

// Add adds a language with its catalogue. Call it before the process serves requests.
func Add(code, name, english string, catalogue []byte) (*Language, error) {
	l := &Language{Code: code, Name: name, English: english}
	if err := l.read(catalogue); err != nil {
		return nil, err
	}
	l.once.Do(func() {})
	languages = append(languages, l)
	return l, nil
}

// Languages returns all languages in the order of display.
func Languages() []*Language { return languages }

// Codes returns the codes of all languages.
func Codes() []string {
	var all []string
	for _, l := range languages {
		all = append(all, l.Code)
	}
	return all
}

// Spoken lists the languages in English, as in "Italian, English or German".
func Spoken() string {
	var names []string
	for _, l := range languages {
		names = append(names, l.English)
	}
	return or(names)
}

// SpokenCodes lists the codes, as in "it, en or de".
func SpokenCodes() string { return or(Codes()) }

func or(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Default returns the language for readers for whose languages there is no catalogue.
func Default() *Language { return languages[0] }

// English returns English, the language of texts that programs receive.
func English() *Language { return ForCode(language.English.String()) }

// Find returns the language with a code; ok is false if there is none.
func Find(code string) (l *Language, ok bool) {
	for _, l := range languages {
		if l.Code == code {
			return l, true
		}
	}
	return nil, false
}

// ForCode returns the language with a code, or English if there is none: a stored code may belong
// to a removed language.
func ForCode(code string) *Language {
	if l, ok := Find(code); ok {
		return l
	}
	l, _ := Find(language.English.String())
	return l
}

// ForHeader returns the language that an Accept-Language header prefers, or else the
// default. Regions do not count: pt-BR is Portuguese.
func ForHeader(header string) *Language {
	tags, _, _ := language.ParseAcceptLanguage(header) // by weight; none if the header is malformed
	for _, tag := range tags {
		primary, _ := tag.Base()
		if l, ok := Find(primary.String()); ok {
			return l
		}
	}
	return Default()
}

// Text returns a text with its placeholders filled. Fill alternates placeholder names and values.
// It panics on an unknown id or name, which this package's tests detect.
func (l *Language) Text(id string, fill ...any) string { return l.fill(id, nil, fill) }

// Lookup returns a text without placeholders, or false if the id is unknown.
func (l *Language) Lookup(id string) (text string, ok bool) {
	text, _ = l.localizer().Localize(&i18n.LocalizeConfig{MessageID: id, TemplateParser: textParser{}})
	return text, text != ""
}

// Count returns the plural form for n, with n as the placeholder Count.
func (l *Language) Count(id string, n int, fill ...any) string {
	return l.fill(id, n, append(fill, "Count", n))
}

// HTML returns a text that may hold markup. It escapes all values except template.HTML.
func (l *Language) HTML(id string, fill ...any) template.HTML {
	for i := 1; i < len(fill); i += 2 {
		if _, safe := fill[i].(template.HTML); !safe {
			fill[i] = template.HTMLEscaper(fill[i])
		}
	}
	return template.HTML(l.fill(id, nil, fill))
}

var unemphasized = strings.NewReplacer("<strong>", "", "</strong>", "", "<code>", "", "</code>", "")

// Plain returns a text without its emphasis tags.
func (l *Language) Plain(id string, fill ...any) string {
	return unemphasized.Replace(l.fill(id, nil, fill))
}

func (l *Language) localizer() *i18n.Localizer {
	if l.amounts != nil {
		return l.amounts.language.localizer()
	}
	l.once.Do(func() {
		catalogue, err := Catalogue(l.Code)
		if err == nil {
			err = l.read(catalogue)
		}
		if err != nil {
			panic(err) // a bug: every embedded catalogue can be parsed
		}
	})
	return l.texts
}

func (l *Language) fill(id string, count any, fill []any) string {
	if len(fill) > 0 {
		return l.localize(id, count, fill)
	}
	if l.amounts != nil { // a text without placeholders holds no amount
		return l.amounts.language.fill(id, count, nil)
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
	// If the form for count is missing, Localize returns the form "other" and an error.
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
