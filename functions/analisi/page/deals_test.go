package page_test

import (
	"html"
	"strings"
	"testing"
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
		"&a=Romania":          "from Milan · Romania now",
		"&a=Regno+Unito":      "from Milan · United Kingdom now",
		"&a=Europe&massimo=1": "No fare like this from Milan has been f",
		"&a=Japan":            "No fare like this from Milan has been f",
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
