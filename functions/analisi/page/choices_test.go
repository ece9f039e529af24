package page_test

import (
	"html"
	"strings"
	"testing"
)

func TestTheLaterChoiceCounts(t *testing.T) {
	const both = "/?da=Milano&a=Bucarest&lang=en&mese=2016-04&quando=2016-04-12"
	s := openSite("", "")
	for era, want := range map[string]string{
		"2016-04":    "The month no longer counts: you chose a day. Milan to Bucharest · Tuesday 12 April 2016",
		"2016-04-12": "The day no longer counts: you chose a month. Milan to Bucharest · April 2016",
		"":           "Choose a month or a day, not both.", "2016-05": "Choose a month or a day, not both."} {
		if text := said(s.visit(strings.TrimSuffix(both+"&era="+era, "&era="))); !strings.Contains(text, want) {
			t.Errorf("after %q, want %q in\n%s", era, want, text)
		}
	}
	body := s.visit("/?da=Milano&a=Bucarest&mese=2016-04").Body.String()
	if !strings.Contains(body, `<noscript><input type="hidden" name="era" value="2016-04"></noscript>`) ||
		strings.Contains(body, "&amp;era=") {
		t.Errorf("the form does not keep its month, or a link does:\n%s", body)
	}
}

func TestChoicesAreKept(t *testing.T) {
	s := openSite("", "")
	for _, tt := range []struct {
		target string
		holds  []string
	}{
		{"/?da=Milano&visto=45&lang=en", []string{`type="hidden" name="visto" value="45"`, `type="hidden" name="lang" value="en"`}},
		{"/?da=Milano&a=Bucarest&massimo=60&soglia=40", []string{`type="hidden" name="massimo" value="60"`,
			`type="hidden" name="soglia" value="40"`}},
		{"/?da=Milano&a=Bucarest&mese=2016-04&valuta=USD&diretto=si", []string{`<option value="2016-04" selected>`,
			`<option selected>USD`, `value="si" checked`}},
	} {
		body := html.UnescapeString(s.visit(tt.target).Body.String())
		for _, want := range tt.holds {
			if strings.Count(body, want) != 1 {
				t.Errorf("%s: not once %s in\n%s", tt.target, want, body)
			}
		}
	}
}

func TestTheHeadlineLeadsToTheAlert(t *testing.T) {
	s := openSite("", "")
	for _, target := range []string{"/?da=Milano&a=Bucarest", "/?da=Milano"} {
		body := s.visit(target).Body.String()
		button, form := strings.Index(body, `<summary class="go">`), strings.Index(body, `id="alert-title"`)
		if headline := strings.Index(body, "<h1>"); button < headline || button-headline > 2500 || form < button {
			t.Errorf("%s: headline at %d, button at %d, form at %d", target, headline, button, form)
		}
	}
}

func TestBothNamesMisspelt(t *testing.T) {
	w := openSite("", "").visit("/?da=Milanno&a=Bukarestt&lang=en")
	if text := said(w); w.Code != 404 || !strings.Contains(text,
		"is called “Milanno” or “Bukarestt”. Perhaps you meant: "+
			"Milan to Bucharest") {
		t.Errorf("%d %s", w.Code, text)
	}
	if body := html.UnescapeString(w.Body.String()); !strings.Contains(body, `href="/?da=Milan&a=Bucharest&lang=en"`) {
		t.Errorf("no link corrects both:\n%s", body)
	}
}

// A form without a script sends empty fields. The redirect to the address without them does not
// count as a question.
func TestCleanAddress(t *testing.T) {
	s := openSite("", "")
	for target, want := range map[string]string{
		"/?da=Milano&a=Bucarest&mese=&quando=&visto=&lang=en": "/?da=Milano&a=Bucarest&lang=en",
		"/?da=&a=": "/",
		"/?da=Milano&mese=2016-04&era=2016-04&quando=": "/?da=Milano&mese=2016-04",
		"/?da=Citt%C3%A0&visto=%E2%82%AC45&con=":       "/?da=Citt%C3%A0&visto=%E2%82%AC45",
		"/?da=Milano&mese=2016-04&quando=2016-04-12&era=2016-04&a=": "" +
			"/?da=Milano&mese=2016-04&quando=2016-04-12&era=2016-04",
	} {
		w := s.visit(target)
		if w.Code != 303 || w.Header().Get("Location") != want {
			t.Errorf("%s: %d to %s, want 303 to %s", target, w.Code, w.Header().Get("Location"), want)
		}
		if w := s.visit(want); w.Code == 303 {
			t.Errorf("%s redirects again, to %s", want, w.Header().Get("Location"))
		}
	}
	s.counters.taken = nil
	if s.visit("/?da=Milano&a=Bucarest&visto="); len(s.counters.taken) > 0 {
		t.Errorf("counted: %v", s.counters.taken)
	}
}
