package page_test

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// One euro is 1.25 dollars or 5 lei.
func TestOwnCurrency(t *testing.T) {
	const verdict, deals = "/?da=Milano&a=Bucarest&lang=en", "/?da=Milano&lang=en"
	s := openSite("", "")
	for _, tt := range []struct {
		name, target string
		says, holds  string
		not          string
	}{
		{"of a verdict", verdict + "&valuta=usd", "38 USD", `<option selected>USD`, "€"},
		{"in its links", verdict + "&valuta=USD", "", "&lang=en&valuta=USD", "€"},
		{"in the address to share", verdict + "&visto=50+USD&vicini=si", "",
			`data-share="/?da=Milan&a=Bucharest&visto=50+USD&lang=en&vicini=si&valuta=USD"`, "€"},
		{"an amount as it was typed, in the scale too", verdict + "&visto=48.62+USD", "48.62 USD Your price.",
			"48.62 USD", "48.63"},
		{"the euro", verdict + "&valuta=EUR", "€30", `<option value="" selected>EUR`, "valuta=EUR"},
		{"a sign before a price", verdict + "&visto=$50", "50 USD Your price.", `value="50 USD"`, "€"},
		{"a code behind a price", verdict + "&visto=50+usd", "50 USD Your price.", "valuta=USD", "€"},
		{"a price in the page's currency", verdict + "&visto=200&valuta=RON", "200 RON Your price.", "(RON)", "€"},
		{"a price in euros on a page in lei", verdict + "&visto=%E2%82%AC40&valuta=RON", "200 RON Your price. We " +
			"know a fare for this route of 150 RON (Tuesday 10 May 2016), seen today: 50 RON less than yours.",
			`value="€40"`, ""},
		{"of deals", deals + "&massimo=25+USD", "24.99 USD", "valuta=USD", ""},
		{"a limit in dollars is not one in euros", deals + "&massimo=24+USD", "Nothing like that right now.",
			"valuta=USD", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := s.visit(tt.target)
			text := strings.ReplaceAll(said(w), "\u00a0", " ")
			body := html.UnescapeString(w.Body.String())
			if !strings.Contains(text, tt.says) || !strings.Contains(body, tt.holds) {
				t.Errorf("%d, want %q and %q in\n%s", w.Code, tt.says, tt.holds, text)
			}
			_, article, _ := strings.Cut(body, "<article")
			article, _, _ = strings.Cut(article, "</article>")
			if tt.not != "" && strings.Contains(article, tt.not) {
				t.Errorf("%q in\n%s", tt.not, text)
			}
		})
	}
	for unknown, want := range map[string]string{"&valuta=XYZ": "publishes no rate for XYZ", "&visto=50+KWD": "no rate for KWD",
		"&valuta=US": "no rate for US", "&valuta=RUB": "has published no rate for RUB since 28 February 2022"} {
		if w := s.visit(verdict + unknown); w.Code != 400 || !strings.Contains(said(w), want) {
			t.Errorf("%s: %d %s", unknown, w.Code, said(w))
		}
	}
}

// The form offers a replaced currency only to a reader who chose it, but accepts it from all.
func TestReplacedCurrencies(t *testing.T) {
	s := openSite("", "")
	for chosen, offered := range map[string]bool{"": false, "&valuta=USD": false, "&valuta=HRK": true} {
		w := s.visit("/?da=Milano&a=Bucarest&lang=en" + chosen)
		body := w.Body.String()
		if w.Code != 200 || strings.Contains(body, ">HRK") != offered || !strings.Contains(body, ">RON") {
			t.Errorf("%q: %d, HRK is offered: %v", chosen, w.Code, !offered)
		}
	}
}

var axis = regexp.MustCompile(`<text x="0%" y="[0-9.]+%">([0-9.,]+) HRK</text>`)

func TestRoundAxis(t *testing.T) {
	s := openSite("", "")
	for _, query := range []string{"", "&quando=2016-04-12"} {
		body := strings.ReplaceAll(s.visit("/?da=Milano&a=Bucarest&lang=en&valuta=HRK"+query).Body.String(), "\u00a0", " ")
		labels := axis.FindAllStringSubmatch(body, -1)
		if len(labels) == 0 && query == "" {
			t.Errorf("no axis in\n%s", body)
		}
		for _, m := range labels {
			if n, err := strconv.Atoi(m[1]); err != nil || n%5 != 0 {
				t.Errorf("%q: an axis at %s", query, m[1])
			}
		}
	}
}
