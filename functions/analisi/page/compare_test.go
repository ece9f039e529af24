package page_test

import (
	"html"
	"strings"
	"testing"
)

func TestCompare(t *testing.T) {
	s := openSite("", "")
	for _, tt := range []struct {
		name, query string
		status      int
		says, links string
	}{
		{"destinations", "&con=Berlino,+Atene", 200, "BucharestTuesday 10 May 2016", "a=Berlin&lang=en"},
		{"a destination without a fare", "&con=Parma,Atene", 200, "no fare found recently", "a=Athens"},
		{"days, as people write them", "&quando=2016-04-12&con=13.4.2016,14/4/2016,2016-04-15", 200,
			"13 April 2016", "quando=2016-04-14"},
		{"days of a return keep the nights", "&quando=2016-04-12&ritorno=2016-04-17&con=2016-04-13", 200,
			"13 April 2016",
			"quando=2016-04-13&ritorno=2016-04-18"},
		{"fares with a date are compared with the usual fare of that day", "&con=Berlino", 200,
			"Tuesday 10 May 2016€30€", "a=Berlin"},
		{"another city is not covered", "&con=Cuneo", 200, "Cuneo–We do not watch this route yet.", "a=Cuneo"},
		{"the first city is not covered", "&a=Cuneo&con=Berlino", 404, "Cuneo–no fare found recently", "a=Berlin"},
		{"the first day has no fare", "&quando=2016-04-20&con=2016-04-12", 404,
			"Wednesday 20 April 2016–no fare found recently Tuesday 12 April 2016€", "quando=2016-04-12"},
		{"days and months in words", "&quando=2016-04-12&con=13+April,14+April+2016,May+2016,February", 200,
			"13 April 2016", "mese=2017-02"},
		{"a row has the city once and its day", "&quando=2016-04-20&con=Berlino", 404,
			"BucharestWednesday 20 April 2016–", "quando=2016-04-20"},
		{"months", "&mese=2016-04&con=2016-05", 200, "May 2016", "mese=2016-05"},
		{"several destinations typed as one", "&a=Bucarest,+Berlino,Atene", 200, "BucharestTuesday 10 May 2016", "a=Athens"},
		{"too many destinations typed as one", "&a=Bucarest,Berlino,Atene,Roma,Parigi,Londra,Madrid", 400,
			"These are more than five.", "#con"},
		{"a comma behind a destination", "&a=Berlino,&con=Atene", 200, "Athens", "a=Athens"},
		{"too many", "&con=Berlino,Atene,Roma,Parigi,Londra,Madrid", 400, "These are more than five.", "#con"},
		{"an unknown city", "&con=Berlino,Atlantide", 400, "We do not understand “Atlantide”. Write up to five", "#con"},
		{"a day that is none", "&con=31.4.2016x", 400, "We do not understand “31.4.2016x”.", "#con"},
		{"the same city", "&con=Milano", 200, "no fare found recently", "a=Milan"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.counters.taken = nil
			to := "&a=Bucarest"
			if strings.Contains(tt.query, "&a=") {
				to = ""
			}
			w := s.visit("/?da=Milano&lang=en" + to + tt.query)
			body, text := html.UnescapeString(w.Body.String()), said(w)
			_, table, _ := strings.Cut(body, "<summary>Side by side")
			if tt.status != 400 {
				body, _, _ = strings.Cut(table, "</details>")
			}
			if w.Code != tt.status || !strings.Contains(text, tt.says) || !strings.Contains(body, tt.links) {
				t.Errorf("%d, want %q and %q in\n%s\n%s", w.Code, tt.says, tt.links, text, body)
			}
			counted := strings.Count(strings.Join(s.counters.taken, " "), "home-free")
			if want := map[int]int{200: 1, 404: 1, 400: 0}[tt.status]; counted != want {
				t.Errorf("counted %d times, want %d", counted, want)
			}
		})
	}
}
