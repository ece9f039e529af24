// Package languages follows a reader through the service in a toy language, which shows texts that
// are not translated. LanguageTool checks the grammar of the six languages.
package languages

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/e2e/script"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/store/storetest"
	"verdetto/shared/text/i18n/i18ntest"
	"verdetto/shared/upstream/ecb"
)

// names are words that texts in the toy language are allowed to contain.
var names = []string{"Ryanair", "Vueling", "USD", "USDC", "Solana", "devnet", "Milan", "Rome", "Naples", "London", "Paris",
	"Bucharest", "Atlanta", "Milano", "Atlantide", "ntfy", "Webhook", "https"}

func currencyCodes() []string {
	return append(slices.Collect(maps.Keys(ecb.Table().Newest().PerEuro)), "EUR")
}

var (
	href    = regexp.MustCompile(`>https?://[^<]*<`)
	printed = regexp.MustCompile(`<p class="printed">[^<]*`)
)

func TestToyLanguage(t *testing.T) {
	toy := i18ntest.Toy(t)
	names := append(currencyCodes(), names...)
	script.Follow(t, script.Reader{Language: toy.Code,
		Page: func(t testing.TB, page string) {
			t.Helper()
			i18ntest.HTML(t, printed.ReplaceAllString(page, ""), names...)
			if !strings.Contains(page, `<html lang="`+toy.Code+`"`) {
				t.Error("the page says that it is in another language")
			}
		},
		Mail: func(t testing.TB, m maildir.Mail) {
			t.Helper()
			i18ntest.Text(t, m.Subject, names...)
			i18ntest.HTML(t, href.ReplaceAllString(m.HTML, ""), names...)
			var lines []string
			for line := range strings.Lines(m.Text) {
				if !strings.HasPrefix(line, "http") && !strings.HasPrefix(line, "    ") {
					lines = append(lines, line)
				}
			}
			i18ntest.Text(t, strings.Join(lines, ""), names...)
		}}, "journey.txtar")
}

func openToy(t *testing.T) *fixture.Service {
	t.Helper()
	i18ntest.Toy(t)
	clock := storetest.NewClock()
	s := fixture.Open(t, fixture.Bolt(t, clock.Now), clock)
	fixture.Refreshed(t, s.Table, fixture.Falling(fare.DayOf(clock.Now())), clock.Now)
	return s
}

func TestPages(t *testing.T) {
	s := openToy(t)
	if a := s.Do("GET", "/?lang=eo&da=Milano", "", "Accept-Language", "it"); !strings.Contains(a.Body, "⟦") ||
		!strings.Contains(a.Body, "lang=eo") {
		t.Error("the language that was chosen is not kept")
	}
	toy, english := s.Do("GET", "/card/MIL-BUH-eo.png", ""), s.Do("GET", "/card/MIL-BUH-en.png", "")
	if toy.Status != 200 || toy.Body == english.Body {
		t.Errorf("the card: %d", toy.Status)
	}
	if a := s.Do("GET", "/card/MIL-BUH-xx.png", ""); !strings.Contains(a.Body, " or eo.") {
		t.Errorf("the names of cards: %s", a.Body)
	}
	if a := s.Do("GET", "/v1/citta?q=mila&lang=eo", ""); a.Status != 200 || !strings.Contains(a.Body, `"Milan"`) {
		t.Errorf("names of cities: %s", a.Body)
	}
}
