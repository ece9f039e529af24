package page_test

import (
	"context"
	"html"
	"strings"
	"testing"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
)

// TestDealsInOrder sorts the deals from Milan. The deals are London (EUR 24.99, usually 45, 10
// March), Bucharest (EUR 19.99, usually 29.49, 10 April) and Birmingham (EUR 99, not judged, 10
// March).
func TestDealsInOrder(t *testing.T) {
	s := openSite("", "")
	for order, want := range map[string]string{"": "London Bucharest Birmingham",
		"prezzo":     "Bucharest London Birmingham",
		"differenza": "London Bucharest Birmingham", "partenza": "London Birmingham Bucharest"} {
		body := s.visit("/?da=Milano&lang=en&ordine=" + order).Body.String()
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
	if w := s.visit("/?da=Milano&ordine=x"); w.Code != 400 {
		t.Errorf("an unknown order: %d", w.Code)
	}
}

// TestCountries: if the destination is a country or a continent, the page lists the deals of its
// cities.
func TestCountries(t *testing.T) {
	s := openSite("", "")
	for target, want := range map[string]string{
		"&a=Romania":          "from Milan now: Romania",
		"&a=Regno+Unito":      "from Milan now: United Kingdom",
		"&a=Europe&massimo=1": "Nobody has found a fare like this from M",
		"&a=Japan":            "Nobody has found a fare like this from M",
	} {
		text := said(s.visit("/?da=Milano&lang=en" + target))
		if !strings.Contains(text, want) || strings.Contains(text, "London1") && target == "&a=Romania" {
			t.Errorf("%s: want %q in\n%s", target, want, text)
		}
	}
	body := html.UnescapeString(s.visit("/?da=Milano&lang=en").Body.String())
	if !strings.Contains(body, `<a href="/?da=Milan&a=United+Kingdom&lang=en">United Kingdom</a>`) {
		t.Errorf("no link to a country in\n%s", body)
	}
	w := s.visit("/?da=Italy&a=Bucarest&lang=en")
	if text := said(w); w.Code != 404 || !strings.Contains(text,
		"Italy: choose the city that you leave from. MilanRome") {
		t.Errorf("a country as the origin: %d %s", w.Code, text)
	}
}

// unjudged covers Milan, without a verdict yet; nothing covers no city.
type (
	unjudged struct{ analisitest.Coverage }
	nothing  struct{ analisitest.Coverage }
)

func (unjudged) Deals(context.Context, fare.City, fare.Trip) ([]byte, int64, error) {
	d := fare.DayOf(analisitest.Today)
	one := analisitest.Deal(verdict.Insufficient, 0, d+9, 9900, 0, fare.OneStop, 5)
	one.Verdict.Campione = 3
	return deals.Origin{Entries: []deals.Entry{{Destination: "BUH", AsOf: d,
		Any: deals.Fares{Route: []deals.Deal{one}}}}}.Encode(), 1, nil
}

func (nothing) Covered(context.Context, fare.City, int) ([]fare.City, error) { return nil, nil }
func (nothing) Deals(context.Context, fare.City, fare.Trip) ([]byte, int64, error) {
	return nil, 0, store.ErrNotFound
}

// TestCollectingIsSaid: a list without verdicts, and a service without fares, say when the first
// verdict can come.
func TestCollectingIsSaid(t *testing.T) {
	open := func(c analisitest.Routes) site {
		return site{API: analisitest.Site{Coverage: c, Counters: &counters{}}.Open()}
	}
	for _, c := range []struct {
		of     analisitest.Routes
		target string
		status int
		want   string
	}{
		{unjudged{}, "/?da=Milano&lang=en", 200,
			"Days of fares collected: 3 of 8. The first verdict can come on Sunday 6 March 2016 at the earliest."},
		{nothing{}, "/?da=Milano&lang=en", 404, "We are collecting the first fares."},
		{nothing{}, "/?da=Milano&a=Bucarest&lang=en", 404, "can come on Wednesday 9 March 2016 at the earliest."},
		{analisitest.Coverage{}, "/?da=Cuneo&a=Bucarest&lang=en", 404, "We do not watch this route yet."},
	} {
		w := open(c.of).visit(c.target)
		if text := said(w); w.Code != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%T %s: %d, want %q in\n%s", c.of, c.target, w.Code, c.want, text)
		}
	}
}
