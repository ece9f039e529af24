package page_test

import (
	"context"
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdetto/functions/analisi/analisitest"
	"verdetto/functions/analisi/page"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
)

// The deals from Milan are London (EUR 24.99, usually 45, 10 March), Bucharest (EUR 19.99, usually
// 29.49, 10 April) and Birmingham (EUR 99, not judged, 10 March).
func TestDealsInOrder(t *testing.T) {
	s := openSite("", "")
	for order, want := range map[string]string{"": "London Bucharest Birmingham",
		"prezzo":     "Bucharest London Birmingham",
		"differenza": "London Bucharest Birmingham", "partenza": "London Birmingham Bucharest"} {
		body := s.visit(strings.TrimSuffix("/?da=Milano&lang=en&ordine="+order, "&ordine=")).Body.String()
		var got []string
		for _, row := range strings.Split(body, `<th scope="row">`)[1:] {
			_, name, _ := strings.Cut(row, ">")
			name, _, _ = strings.Cut(name, "<")
			got = append(got, name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("by %q: %v, want %s", order, got, want)
		}
		if text := html.UnescapeString(body); strings.Contains(text, "The best come first.") != (order == "") ||
			!strings.Contains(text, map[bool]string{true: "a=United+Kingdom&lang=en\"",
				false: "a=United+Kingdom&lang=en&ordine=" + order}[order == ""]) {
			t.Errorf("by %q: the lede or the links to countries have another order", order)
		}
		if order != "" && (!strings.Contains(body, `<option value="`+order+`" selected>`) || !strings.Contains(body, "noindex")) {
			t.Errorf("by %q: the form does not say so, or the page is listed", order)
		}
	}
	body := html.UnescapeString(s.visit("/?da=Milano&a=Europe&lang=en&ordine=prezzo&massimo=1").Body.String())
	for _, link := range []string{`<a class="switch" href="/?da=Milano&a=Europe&massimo=1&lang=it&ordine=prezzo"`,
		`<a href="/?da=Milan&a=Europe&lang=en&ordine=prezzo">`} {
		if !strings.Contains(body, link) {
			t.Errorf("no link %s in\n%s", link, body)
		}
	}
	if w := s.visit("/?da=Milano&ordine=x"); w.Code != 400 {
		t.Errorf("an unknown order: %d", w.Code)
	}
}

// older knows lower fares than those judged: to Tokyo, Istanbul, London and Miami. Berlin is dear.
type older struct{ analisitest.Coverage }

func (older) Deals(context.Context, fare.City, fare.Trip) ([]byte, int64, error) {
	d := fare.DayOf(analisitest.Today)
	one := func(to fare.City, level verdict.Level, price, usual, lower fare.Cents) deals.Entry {
		e := deals.Entry{Destination: to, AsOf: d, Observations: 400, Any: deals.Fares{
			Route: []deals.Deal{analisitest.Deal(level, 50, d+9, price, usual, fare.NonStop, 5)}}}
		if lower > 0 {
			e.Any.Months = []deals.Deal{analisitest.Deal(verdict.Fair, 50, d+40, lower, usual, fare.OneStop, 29)}
		}
		return e
	}
	return deals.Origin{Entries: []deals.Entry{
		one("BER", verdict.Expensive, 2999, 2700, 0),
		one("IST", verdict.Fair, 3000, 3000, 2500),
		one("LON", verdict.Expensive, 1699, 1500, 1499),
		one("MAD", verdict.Good, 2000, 2200, 0),
		one("MIA", verdict.Expensive, 39999, 26000, 30000),
		one("TYO", verdict.Expensive, 39999, 28000, 23999),
	}}.Encode(), 1, nil
}

// A row shows the lowest fare now, and below it a lower one that was seen earlier.
func TestLowerKnownFares(t *testing.T) {
	s := site{API: analisitest.Site{Coverage: older{}, Counters: &counters{}}.Open()}
	for target, want := range map[string]string{
		"":                           "Madrid Istanbul | Berlin London Tokyo Miami",
		"&ordine=prezzo":             "Madrid Istanbul | London Berlin Tokyo Miami",
		"&ordine=differenza":         "Madrid Istanbul | London Berlin Tokyo Miami",
		"&ordine=partenza":           "Madrid Istanbul | Berlin London Tokyo Miami",
		"&ordine=prezzo&massimo=240": "Madrid Istanbul | London Berlin",
		"&a=Germany":                 "| Berlin",
	} {
		body := s.visit("/?da=Milano&lang=en" + target).Body.String()
		at := regexp.MustCompile(`expensive destinations?</summary>|$`).FindStringIndex(body)[0]
		list, fold := body[:at], body[at:]
		names := func(of string) (all []string) {
			for _, row := range strings.Split(of, `<th scope="row">`)[1:] {
				_, name, _ := strings.Cut(row, ">")
				name, _, _ = strings.Cut(name, "<")
				all = append(all, name)
			}
			return all
		}
		if got := strings.Join(slices.Concat(names(list), []string{"|"}, names(fold)), " "); got != want {
			t.Errorf("%q: %s, want %s", target, got, want)
		}
		if strings.Contains(list, "<details open><summary>") != strings.HasPrefix(want, "|") {
			t.Errorf("%q: the fold is closed without a list, or open below one", target)
		}
	}
	w := s.visit("/?da=Milano&lang=en")
	for _, want := range []string{
		"about the usual pricecheaper, seen yesterday: €25 for Sunday 10 April€30", "4 expensive destinations",
	} {
		if text := said(w); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestCountries(t *testing.T) {
	s := openSite("", "")
	for target, want := range map[string]string{
		"&a=Romania":          "Lowest fares from Milan: Romania For each",
		"&a=Regno+Unito":      "Lowest fares from Milan: United Kingdom For each",
		"&a=Europe&massimo=1": "Nobody has found a fare like this from M",
		"&a=Japan":            "Nobody has found a fare like this from M",
	} {
		text := said(s.visit("/?da=Milano&lang=en" + target))
		if !strings.Contains(text, want) || strings.Contains(text, "London1") && target == "&a=Romania" {
			t.Errorf("%s: want %q in\n%s", target, want, text)
		}
	}
	body := html.UnescapeString(s.visit("/?da=Milano&lang=en").Body.String())
	if !strings.Contains(body, `<p class="small screen">One country only: `+
		`<a href="/?da=Milan&a=Romania&lang=en">Romania</a> · `+
		`<a href="/?da=Milan&a=United+Kingdom&lang=en">United Kingdom</a> · `) || strings.Contains(body, "More countries") {
		t.Errorf("no links to countries, or a fold without countries, in\n%s", body)
	}
	body = s.visit("/?da=Milano&a=Romania&lang=en").Body.String()
	if !strings.Contains(body, `<summary class="go">Alert me to cheap fares from here: Romania</summary>`) {
		t.Errorf("the form of the alert does not name the country:\n%s", body)
	}
	body = s.visit("/?da=Milano&a=Romania&lang=de").Body.String()
	if !strings.Contains(body, `name="a" value="Rumänien"`) {
		t.Errorf("the German page names the country in another language:\n%s", body)
	}
	body = html.UnescapeString(s.visit("/?da=Milano&a=Romnia&lang=de").Body.String())
	if !strings.Contains(body, `<a href="/?da=Mailand&a=Rum%C3%A4nien&lang=de">Rumänien</a>`) {
		t.Errorf("a misspelt country has no suggestion:\n%s", body)
	}
	w := s.visit("/?da=Italy&a=Bucarest&lang=en")
	if text := said(w); w.Code != 404 || !strings.Contains(text,
		"Italy: choose the city that you leave from. MilanRome") {
		t.Errorf("a country as the origin: %d %s", w.Code, text)
	}
}

func TestCitiesWithoutFares(t *testing.T) {
	s := openSite("", "")
	without := regexp.MustCompile(`No fare known yet: ([^.]*)[.]`)
	for target, want := range map[string][2]string{
		"&a=Romania":        {"Cluj-Napoca", "Bucharest"},
		"&a=United+Kingdom": {"Manchester", "London"},
		"":                  {"", ""},
	} {
		said := said(s.visit("/?da=Milano&lang=en" + target))
		m := without.FindStringSubmatch(said)
		if target == "" && m != nil || target != "" && (m == nil || !strings.Contains(m[1], want[0]) ||
			strings.Contains(m[1], want[1])) {
			t.Errorf("%s: %q, want %s and not %s in\n%s", target, m, want[0], want[1], said)
		}
	}
}

func TestManyCountries(t *testing.T) {
	cities := []fare.City{"MAD", "BCN", "VIE", "BRU", "SOF", "PRG", "CPH", "HEL", "PAR", "BER", "ATH", "BUD",
		"DUB", "RIX", "OSL"}
	first, others := page.AreasOf(i18n.English(), cities)
	if n := len(first); n != 12 || !slices.Contains(first, "Spain") || !slices.IsSorted(first) ||
		!slices.Equal(others, []string{"Latvia", "Norway"}) {
		t.Errorf("%d countries: %v, others: %v", n, first, others)
	}
}

// unjudged covers Milan without a verdict; nothing covers no city.
type (
	unjudged struct{ analisitest.Coverage }
	nothing  struct{ analisitest.Coverage }
)

func (unjudged) Deals(context.Context, fare.City, fare.Trip) ([]byte, int64, error) {
	d := fare.DayOf(analisitest.Today)
	one := analisitest.Deal(verdict.Unjudged, 0, d+9, 9900, 0, fare.OneStop, 5)
	one.Verdict.Sample = 3
	return deals.Origin{Entries: []deals.Entry{{Destination: "BUH", AsOf: d,
		Any: deals.Fares{Route: []deals.Deal{one}}}}}.Encode(), 1, nil
}

func (nothing) Covered(context.Context, fare.City, int) ([]fare.City, error) { return nil, nil }
func (nothing) Deals(context.Context, fare.City, fare.Trip) ([]byte, int64, error) {
	return nil, 0, store.ErrNotFound
}

func TestLongList(t *testing.T) {
	s := site{API: analisitest.Site{Coverage: plenty{}, Counters: &counters{}}.Open()}
	body := s.visit("/?da=Milano&lang=en").Body.String()
	before, fold, folded := strings.Cut(body, "<details><summary>Show 3 more destinations</summary>")
	fold, _, _ = strings.Cut(fold, "</details>")
	_, before, _ = strings.Cut(before, `<table class="places">`)
	if n, m := strings.Count(before, `<th scope="row">`), strings.Count(fold, `<th scope="row">`); !folded ||
		n != 20 || m != 3 {
		t.Errorf("%d rows, %d in a fold", n, m)
	}
	// The form of a list has no days, so its month is no alternative to them.
	if !strings.Contains(body, `<label for="mese">Month</label>`) {
		t.Error("the month has another label")
	}
}

type plenty struct{ analisitest.Coverage }

func (plenty) Deals(context.Context, fare.City, fare.Trip) ([]byte, int64, error) {
	d := fare.DayOf(analisitest.Today)
	var all deals.Origin
	for _, to := range strings.Fields("MAD BCN VIE BRU SOF PRG CPH HEL PAR BER ATH BUD DUB RIX OSL BUH LIS LON WAW " +
		"STO ZRH AMS OPO") {
		one := analisitest.Deal(verdict.Good, 20, d+9, 9900, 12000, fare.OneStop, 5)
		all.Entries = append(all.Entries, deals.Entry{Destination: fare.City(to), AsOf: d,
			Any: deals.Fares{Route: []deals.Deal{one}}})
	}
	return all.Encode(), 1, nil
}

func TestCollectingIsSaid(t *testing.T) {
	open := func(c analisitest.Routes) site {
		return site{API: analisitest.Site{Coverage: c, Counters: &counters{}}.Open()}
	}
	const since = "This service has collected fares since Sunday 28 February 2016 and has none yet. After its first " +
		"refresh it judges single departures. The first verdict on a whole route can come on Wednesday 9 March 2016"
	const collection = `"raccolta":{"daGiorni":0,"diGiorni":8,"dal":"2016-02-28","primoVerdetto":"2016-03-09"}`
	for _, c := range []struct {
		of     analisitest.Routes
		target string
		status int
		want   string
	}{
		{unjudged{}, "/?da=Milano&lang=en", 200,
			"Days of fares collected: 3 of 8. The first verdict can come on Sunday 6 March 2016 at the earliest."},
		{nothing{}, "/?lang=en", 200, since},
		{nothing{}, "/?da=Milano&lang=en", 404, "We are collecting the first fares. " + since},
		{nothing{}, "/?da=Milano&a=Bucarest&lang=en", 404, "We are collecting the first fares. " + since},
		{nothing{}, "/?da=Milano&a=Bucarest&quando=2016-04-01&lang=en", 404, since},
		{nothing{}, "/?da=Milano&a=Bucarest&quando=2016-04-13&ritorno=2016-04-20&lang=en", 404, since},
		{nothing{}, "/v1/occasioni?origine=Milano", 404, collection},
		{nothing{}, "/v1/analisi?origine=Milano&destinazione=Bucarest", 404, collection},
		{nothing{}, "/v1/calendario?origine=Milano&destinazione=Bucarest", 404, collection},
		{analisitest.Coverage{}, "/?da=Cuneo&a=Bucarest&lang=en", 404, "We do not watch this route yet."},
	} {
		w := open(c.of).visit(c.target)
		if text := said(w) + w.Body.String(); w.Code != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%T %s: %d, want %q in\n%s", c.of, c.target, w.Code, c.want, text)
		}
	}
}
