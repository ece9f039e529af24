// Package languages follows readers of several languages through the whole service. One test uses a
// toy language: each word of another language on a page or in a mail is an error. For our six
// languages, LanguageTool checks the grammar of all texts.
package languages

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/text/i18n/i18ntest"
	"verdetto/shared/upstream/ecb"
)

// names are the same in every language, also in the toy language.
var names = []string{"Ryanair", "Vueling", "USD", "USDC", "Solana", "devnet", "Milan", "Rome", "Naples", "London", "Paris",
	"Bucharest", "Atlanta", "Milano", "Atlantide", "ntfy", "Webhook", "https"}

func currencyCodes() []string {
	return append(slices.Collect(maps.Keys(ecb.Table().Newest().PerEuro)), "EUR")
}

func openToy(t *testing.T) reader {
	t.Helper()
	names := append(currencyCodes(), names...)
	r := open(t, i18ntest.Toy(t))
	r.read = func(_, page string) { i18ntest.HTML(t, printed.ReplaceAllString(page, ""), names...) }
	r.mail = func(r reader, m maildir.Mail) {
		i18ntest.Text(t, m.Subject, names...)
		i18ntest.HTML(t, href.ReplaceAllString(m.HTML, ""), names...)
		var lines []string
		for line := range strings.Lines(m.Text) {
			if !strings.HasPrefix(line, "http") && !strings.HasPrefix(line, "    ") {
				lines = append(lines, line)
			}
		}
		i18ntest.Text(t, strings.Join(lines, ""), names...)
	}
	return r
}

var (
	href    = regexp.MustCompile(`>https?://[^<]*<`)
	printed = regexp.MustCompile(`<p class="printed">[^<]*`)
)

func TestPages(t *testing.T) {
	r := openToy(t)
	r.looks(t)
	first := r.page(t, "GET", "/", "", 200)
	for _, want := range []string{
		`hreflang="it" lang="it">Italiano</a>`, `hreflang="en" lang="en">English</a>`,
		`hreflang="de" lang="de">Deutsch</a>`, // the other languages
		`href="/?lang=eo"`,
	} {
		if !strings.Contains(first.Body, want) {
			t.Errorf("the first page lacks %s", want)
		}
	}
	verdict := r.page(t, "GET", "/?da=Milano&a=Bucarest", "", 200)
	for _, want := range []string{
		`hreflang="eo" href="` + fixture.LocalURL + `/?da=Milan&amp;a=Bucharest&amp;lang=eo"`,
		`hreflang="x-default" href="` + fixture.LocalURL + `/?da=Milano&amp;a=Bucarest"`, `/card/MIL-BUH-eo.png`,
	} {
		if !strings.Contains(verdict.Body, want) {
			t.Errorf("the verdict lacks %s", want)
		}
	}

	if a := r.Do("GET", "/?lang=eo&da=Milano", "", "Accept-Language", "it"); !strings.Contains(a.Body, "⟦") ||
		!strings.Contains(a.Body, "lang=eo") {
		t.Error("the language that was chosen is not kept")
	}
	toy, english := r.Do("GET", "/card/MIL-BUH-eo.png", ""), r.Do("GET", "/card/MIL-BUH-en.png", "")
	if toy.Status != 200 || toy.Body == english.Body {
		t.Errorf("the card: %d", toy.Status)
	}
	if a := r.Do("GET", "/card/MIL-BUH-xx.png", ""); !strings.Contains(a.Body, " or eo.") {
		t.Errorf("the names of cards: %s", a.Body)
	}
	if a := r.Do("GET", "/v1/citta?q=mila&lang=eo", ""); a.Status != 200 || !strings.Contains(a.Body, `"Milan"`) {
		t.Errorf("names of cities: %s", a.Body)
	}
}

func TestAlerts(t *testing.T) { openToy(t).subscribes(t) }

func TestKeys(t *testing.T) { openToy(t).buys(t) }
