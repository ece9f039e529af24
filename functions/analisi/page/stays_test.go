package page_test

import (
	"fmt"
	"html"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"verdetto/functions/analisi/analisitest"
	"verdetto/functions/analisi/page"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

var markup = regexp.MustCompile(`<[^>]*>`)

var gridRows = regexp.MustCompile(`(?s)<tr><th scope="row">(.*?)</th>(.*?)(?:\n)`)

// Returns with 5 nights away are known for departures up to 120 days ahead, except on the 10th,
// 20th and 30th of a month.
func TestStays(t *testing.T) {
	s := openSite("", "")
	const route = "/?da=Milano&a=Bucarest&lang=en"
	for _, tt := range []struct {
		name, query string
		status      int
		says        string
		rows        int
		links       string
	}{
		{"of a month", "&mese=2016-04&soggiorno=4-6", 200,
			" €30 The cheapest: out on Saturday 2 April 2016, back on Thursday 7 April 2016.", 27,
			"quando=2016-04-12&ritorno=2016-04-17&lang=en"},
		{"of any month", "&soggiorno=5", 200, "The 15 cheapest are below.", 15, "ritorno="},
		{"some days either way", "&soggiorno=5&quando=2016-04-12&flessibile=1", 200, "5 nights", 3,
			"quando=2016-04-13&ritorno=2016-04-18"},
		{"a day without a fare", "&soggiorno=5&quando=2016-04-10", 404, "No such fare yet.", 0, ""},
		{"nights that nobody saw", "&soggiorno=2-4&mese=2016-04", 404,
			"a return like this on this route recently: April 2016 · 2 to 4 nights", 0, ""},
		{"of a month without such nights", "&soggiorno=5&mese=2016-12", 404,
			"recently: December 2016 · 5 nights. We have noted your request and will look for one. The usual " +
				"fare (return, 4–7 nights away) in mid-December 2016 is about €",
			0, "&ritorno=2016-"},
		{"a weekend", "&soggiorno=weekend&mese=2016-04", 404, "No such fare yet.", 0, ""},
		{"too many nights", "&soggiorno=2-20", 400, "We cannot read the question.", 0, ""},
		{"days of both ways determine the nights", "&soggiorno=2-4&quando=2016-04-12&ritorno=2016-04-17", 200,
			"Milan to Bucharest · Tuesday 12 April 2016 – Sunday 17 April 2016", 6,
			"quando=2016-04-13&ritorno=2016-04-18"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := s.visit(route + tt.query)
			body := html.UnescapeString(w.Body.String())
			_, article, _ := strings.Cut(body, "<article")
			grid, _, _ := strings.Cut(article[strings.Index(article, `class="grid"`)+1:], "</table>")
			if text := said(w); w.Code != tt.status || !strings.Contains(text, tt.says) {
				t.Errorf("%d, want %q in\n%s", w.Code, tt.says, text)
			}
			if rows := gridRows.FindAllString(grid, -1); tt.rows > 0 && len(rows) != tt.rows {
				t.Errorf("%d rows, want %d:\n%s", len(rows), tt.rows, grid)
			}
			if !strings.Contains(article, tt.links) {
				t.Errorf("no link with %q in\n%s", tt.links, article)
			}
		})
	}
}

func TestStaysLikeOtherAnswers(t *testing.T) {
	s := openSite("", "")
	w := s.visit("/?da=Milano&a=Bucarest&lang=en&mese=2016-04&soggiorno=4-6&valuta=USD")
	body := html.UnescapeString(w.Body.String())
	level := regexp.MustCompile(`<article class="calendar usual verdict ([a-z]+)">`).FindStringSubmatch(body)
	if w.Code != 200 || level == nil || !strings.Contains(body, "<title>Milan to Bucharest · April 2016 · 4 to 6 nights:") {
		t.Fatalf("%d, the level %q in\n%s", w.Code, level, body)
	}
	word := i18n.English().Text("level." + level[1])
	if h1 := strings.ToLower(headlineOf.FindStringSubmatch(body)[1]); !strings.Contains(h1, word) {
		t.Errorf("the colour of %s is that of %q", h1, word)
	}
	const share = `data-share="/?da=Milan&a=Bucharest&mese=2016-04&soggiorno=4-6&lang=en&valuta=USD"`
	dots := strings.Count(body, `<i class="on">`)
	sure := []string{"", "Low", "Medium", "High"}[dots]
	if dots == 0 || !strings.Contains(said(w), sure+" certainty") || !strings.Contains(body, share) {
		t.Errorf("%d dots, or no certainty, or no %s in\n%s", dots, share, body)
	}
}

// A return behind a link has the same number of nights.
func TestDaysAround(t *testing.T) {
	s := openSite("", "")
	for query, want := range map[string][]string{
		"&quando=2016-04-12&flessibile=3": {"quando=2016-04-09", "quando=2016-04-15"},
		"&quando=2016-04-12&flessibile=1&ritorno=2016-04-17": {"quando=2016-04-11&ritorno=2016-04-16",
			"quando=2016-04-13&ritorno=2016-04-18"},
	} {
		body := html.UnescapeString(s.visit("/?da=Milano&a=Bucarest" + query).Body.String())
		_, strip, _ := strings.Cut(body, `class="around"`)
		strip, _, _ = strings.Cut(strip, "</table>")
		for _, link := range want {
			if !strings.Contains(strip, link) {
				t.Errorf("%s: no %s in\n%s", query, link, strip)
			}
		}
		if strings.Contains(strip, "2016-04-20") || strings.Contains(strip, "2016-04-05") {
			t.Errorf("%s: other days in\n%s", query, strip)
		}
	}
}

// A question about a return keeps its nights away. If the fare has other nights, the page says so.
// Links to months keep the nights, and links to nearby returns name theirs.
func TestOtherNights(t *testing.T) {
	s := openSite("", "")
	for query, want := range map[string]string{
		"&quando=2016-04-12&ritorno=2016-04-18": "You asked for 6 nights; this fare is for 5 nights, the nearest " +
			"that we know.",
		"&quando=2016-04-12&ritorno=2016-04-17": "",
		"&quando=2016-04-20&ritorno=2016-04-26": "Monday 18 April 2016 – Saturday 23 April 2016 · 5 nights · €",
	} {
		text := said(s.visit("/?da=Milano&a=Bucarest&lang=en" + query))
		other := strings.HasPrefix(want, "You asked")
		if strings.Contains(text, "You asked for") != other || !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", query, want, text)
		}
	}
	body := s.visit("/?da=Milano&a=Bucarest&lang=en&quando=2016-04-12&ritorno=2016-04-17").Body.String()
	for month, links := range map[string]int{"04": 1, "05": 1} {
		if want := "mese=2016-" + month + "&amp;soggiorno=5&amp;"; strings.Count(body, want) < links {
			t.Errorf("fewer than %d links with %s", links, want)
		}
	}
}

func TestOtherNightsNamed(t *testing.T) {
	day := func(s string) fare.Day {
		d, err := fare.ParseDay(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	asked := answer.Question{When: &answer.When{When: verdict.When{Date: day("2016-04-12")},
		Back: day("2016-04-19")}}
	returns := func(out, back string, cents fare.Cents) verdict.Day {
		return verdict.Day{Judged: verdict.Judged{Fare: verdict.Live{Depart: day(out), Nights: int16(day(back) - day(out)),
			Price: cents}}}
	}
	c := &verdict.Calendar{Days: []verdict.Day{returns("2016-04-11", "2016-04-18", 9000),
		returns("2016-04-13", "2016-04-18", 5000), returns("2016-04-14", "2016-04-21", 8000),
		returns("2016-04-20", "2016-04-27", 4000)}} // the last one is too late
	for back, want := range map[string]string{
		"2016-04-18": "You asked for 7 nights; this fare is for 5 nights. For 7 nights we know €80: " +
			"Thursday 14 April 2016 – Thursday 21 April 2016.",
		"2016-04-20": "",
	} {
		if got := page.OtherNights(i18n.English(), asked, returns("2016-04-13", back, 0).Fare, c); got != want {
			t.Errorf("back %s: %q, want %q", back, got, want)
		}
	}
}

// A table of returns states euros instead of levels.
func TestSparseReturns(t *testing.T) {
	s := openSite("", "")
	for _, query := range []string{"&quando=2016-04-12&ritorno=2016-04-17", "&soggiorno=4-6&mese=2016-04"} {
		body := s.visit("/?da=Milano&a=Bucarest&lang=en" + query).Body.String()
		_, grid, found := strings.Cut(body, `<table class="grid">`)
		grid, _, _ = strings.Cut(grid, "</table>")
		fares := strings.Count(grid, "<td class=")
		rows := strings.Count(grid, `<th scope="row">`)
		if !found || rows == 0 || fares != rows || strings.Contains(grid, "–") {
			t.Errorf("%s: %d rows, %d fares in\n%s", query, rows, fares, grid)
		}
		for _, level := range []string{"great", "good", "normal", "expensive"} {
			if strings.Contains(grid, level) {
				t.Errorf("%s: a level in\n%s", query, grid)
			}
		}
	}
}

// Returns are known with 5 nights away, except on the 10th, 20th and 30th. All other cells hold a
// dash, which the legend explains once.
func TestMonthOfReturns(t *testing.T) {
	s := openSite("", "")
	w := s.visit("/?da=Milano&a=Bucarest&lang=en&quando=2016-04-12&ritorno=2016-04-17")
	_, month, _ := strings.Cut(html.UnescapeString(w.Body.String()), `<div class="box" id="m2016-04">`)
	month, _, _ = strings.Cut(month, "</table>")
	if heads := regexp.MustCompile(`abbr="(. nights)"`).FindAllString(month, -1); len(heads) != 4 {
		t.Errorf("columns %q, want 4 to 7 nights", heads)
	}
	rows := gridRows.FindAllStringSubmatch(month, -1)
	if len(rows) != 30 || rows[11][1] != "Tue 12 Apr" {
		t.Fatalf("%d rows in\n%s", len(rows), month)
	}
	for i, row := range rows {
		out := fmt.Sprintf("2016-04-%02d", i+1)
		day, _ := fare.ParseDay(out)
		known := i%10 != 9
		link := "quando=" + out + "&ritorno=" + (day + 5).String()
		if cells := strings.Split(row[2], "<td"); len(cells) != 5 || strings.Contains(cells[2], link) != known ||
			strings.Count(row[2], ">–") != 4-strings.Count(row[2], "<b>") || strings.Count(row[2], "<b>") > 1 {
			t.Errorf("%s: %s", row[1], row[2])
		}
	}
	if n := strings.Count(month, `aria-current="date"`); n != 1 || !strings.Contains(rows[11][2], "aria-current") {
		t.Errorf("%d returns are marked", n)
	}
	if n := strings.Count(said(w), "A dash means"); n != 1 {
		t.Errorf("the legend says what a dash means %d times", n)
	}
}

// The page with the files that it loads has at most 100 kB, even if each day of a year has a
// return.
func TestWeightOfReturns(t *testing.T) {
	const most = 100_000
	route, d, assets := analisitest.MilBuh, fare.DayOf(analisitest.Today), weightOfAssets(t)
	for _, nights := range []int16{7, 9, 15} {
		var all []departure.Live
		for day := d - 30; day <= d; day++ {
			for lead := fare.Day(1); lead <= 330; lead++ {
				all = append(all, departure.Live{Depart: day + lead, Price: fare.Cents(30000 + 100*int(lead%90)),
					Found: day.Time().Unix() + 3600, Nights: nights + int16(lead%5)*(nights/15)})
			}
		}
		kind := fare.TripOf(int(nights))
		s := siteOfSheets(sheetsByTrip{{Route: route}: sheetOf(all, fare.EUR, 1),
			{Route: route, Trip: kind}: sheetOf(all, fare.EUR, 1)}, route, d, true)
		out := d + 101 + fare.Day((5-(d+101)%5)%5)
		var w *httptest.ResponseRecorder
		for back := range fare.Day(5) { // one of these nights has a fare on that day
			w = s.visit("/?da=Milano&a=Bucarest&lang=en&quando=" + out.String() + "&ritorno=" +
				(out + fare.Day(nights) + back).String())
			if w.Code == 200 {
				break
			}
		}
		rows := strings.Count(w.Body.String(), `<th scope="row">`)
		t.Logf("%s nights: %d bytes of HTML, %d of assets, %d rows", kind, w.Body.Len(), assets, rows)
		if w.Code != 200 || rows < 90 || w.Body.Len()+assets > most {
			t.Errorf("%s nights: %d, %d rows, %d bytes", kind, w.Code, rows, w.Body.Len()+assets)
		}
	}
}

// Returns from Milan to Berlin are known with 2 nights away. Any weekend is answered by a row for
// each Friday with a fare.
func TestWeekends(t *testing.T) {
	s := openSite("", "")
	w := s.visit("/?da=Milano&a=Berlino&lang=en&soggiorno=weekend&mese=2016-04")
	body := html.UnescapeString(w.Body.String())
	_, grid, _ := strings.Cut(body, `class="grid"`)
	grid, _, _ = strings.Cut(grid, "</table>")
	if text := said(w); w.Code != 200 || !strings.Contains(text, " The cheapest: out on ") ||
		!strings.Contains(text, "Fri–Sun") {
		t.Fatalf("%d: %s", w.Code, text)
	}
	// 1 and 8 April 2016 are Fridays; Saturdays follow. No departure has a fare on the 10th, 20th, 30th.
	if !strings.Contains(grid, "Fri 1 Apr") || strings.Contains(grid, "1 April 2016") {
		t.Errorf("a row of a Friday and a Saturday names a single day:\n%s", grid)
	}
	for _, link := range []string{"quando=2016-04-01&ritorno=2016-04-03", "quando=2016-04-02&ritorno=2016-04-04",
		"quando=2016-04-29&ritorno=2016-05-01"} {
		if !strings.Contains(grid, link) {
			t.Errorf("no %s in\n%s", link, grid)
		}
	}
	if rows := gridRows.FindAllString(grid, -1); len(rows) != 5 || strings.Count(grid, "quando=") != 9 {
		t.Errorf("%d rows, %d fares in\n%s", len(rows), strings.Count(grid, "quando="), grid)
	}
}

func TestStayAgreesWithItsDays(t *testing.T) {
	s := openSite("", "")
	const route = "/?da=Milano&a=Bucarest&lang=en"
	body := func(query string) string { return html.UnescapeString(s.visit(route + query).Body.String()) }
	stay, day := body("&soggiorno=5&mese=2016-04"), body("&quando=2016-04-02&ritorno=2016-04-07")
	headline := headlineOf.FindStringSubmatch(stay)[1]
	if headline != headlineOf.FindStringSubmatch(day)[1] || !strings.HasPrefix(headline, "A great fare for ") {
		t.Errorf("%q, but the page of its days says %q", headline, headlineOf.FindStringSubmatch(day)[1])
	}
	if want := "<title>Milan to Bucharest · April 2016 · 5 nights: €30: great"; !strings.Contains(stay, want) {
		t.Errorf("no %q", want)
	}
}

func TestStaysCompared(t *testing.T) {
	s := openSite("", "")
	for query, want := range map[string][]string{
		"&soggiorno=5&mese=2016-04&con=2016-05,Berlino": {
			"Bucharest · April 2016 · 5 nights Saturday 2 April 2016 – Thursday 7 April 2016 €30",
			"Bucharest · May 2016 · 5 nights ", " Berlin · April 2016 · 5 nights – no fare found recently"},
		"&soggiorno=5&mese=2016-12&con=2016-04": {"December 2016 · 5 nights – no fare found recently",
			"April 2016 · 5 nights Saturday 2 April 2016 – Thursday 7 April 2016 €30"},
	} {
		body := s.visit("/?da=Milano&a=Bucarest&lang=en" + query).Body.String()
		_, table, _ := strings.Cut(body, "<summary>Side by side")
		table, _, _ = strings.Cut(table, "</table>")
		text := strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(table, " "))), " ")
		for _, one := range want {
			if !strings.Contains(text, strings.TrimSpace(one)) {
				t.Errorf("%s: no %q in %q", query, one, text)
			}
		}
	}
}
