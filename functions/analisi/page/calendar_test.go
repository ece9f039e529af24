package page_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/web/page"
)

var (
	cellOf = regexp.MustCompile(`<td class="([a-z-]+)"><a href="([^"]+)"( aria-current="date")?>` +
		`([0-9]+)<b>([0-9]*)</b><i>([^<]*)</i></a>`)
	signed  = regexp.MustCompile(`^[+−]?[0-9]+$`)
	monthOf = regexp.MustCompile(`<details( open)?><summary><span class="month">([^<]*)</span> ` +
		`<span class="from">([^<]*)</span></summary>\s*<table id="m([0-9-]+)"><caption><a href="([^"]+)">`)
	quandoOf  = regexp.MustCompile(`[&]quando=([0-9-]+)`)
	calendarS = regexp.MustCompile(`(?s)<section class="calendar.*?</section>`)
)

var apartOf = regexp.MustCompile(`sono ([0-9.]+)\x{a0}€ in (meno|più)`)

var markOf = map[string]string{string(verdict.Great): "less", string(verdict.Good): "less", string(verdict.Fair): "same",
	string(verdict.Expensive): "more", string(verdict.Unjudged): "unknown"}

// differenceOfTarget opens the page at target. It returns the difference from the usual fare as the
// calendar writes it, or "unknown" without a verdict, and the colour of the page's level.
func differenceOfTarget(t *testing.T, s site, target string) (apart, colour string) {
	t.Helper()
	w := s.visit(html.UnescapeString(target))
	m := levelOfPage.FindStringSubmatch(w.Body.String())
	if w.Code != 200 || m == nil {
		t.Fatalf("%s: %d", target, w.Code)
	}
	if fault := headlineFault(w.Body.String()); m[1] != string(verdict.Unjudged) && fault != "" {
		t.Errorf("%s: %s", target, fault)
	}
	by := apartOf.FindStringSubmatch(html.UnescapeString(w.Body.String()))
	switch {
	case m[1] == string(verdict.Unjudged):
		return "unknown", markOf[m[1]]
	case by == nil:
		return "0", markOf[m[1]]
	}
	return map[string]string{"meno": "−", "più": "+"}[by[2]] + strings.ReplaceAll(by[1], ".", ""), markOf[m[1]]
}

// disagreements opens the page of each n-th calendar cell, as the parameter each says. It returns
// the cells whose page states another difference from the usual fare, or a level of another colour.
// It also counts the colours.
func disagreements(t *testing.T, s site, target string, each int) (colours map[string]int, found []string) {
	t.Helper()
	colours = map[string]int{}
	body := calendarS.FindString(s.visit(target).Body.String())
	cells := cellOf.FindAllStringSubmatch(body, -1)
	if n := strings.Count(body, "<td class="); n != len(cells) {
		t.Fatalf("%s: %d of %d cells can be read", target, len(cells), n)
	}
	for i, c := range cells {
		colours[c[1]]++
		if i%each != 0 {
			continue
		}
		apart, colour := differenceOfTarget(t, s, c[2])
		if colour != c[1] || apart != c[6] && apart != "unknown" {
			found = append(found, fmt.Sprintf("%s is %s (%s) in the calendar, and %s (%s) by itself", c[2], c[6], c[1],
				apart, colour))
		}
	}
	return colours, found
}

// Each day of a calendar shows the same difference from the usual fare, and by its colour the same
// level, as the page about that day. The prices are random.
func TestCalendarAgrees(t *testing.T) {
	colours := map[string]int{}
	for seed := range uint64(6) {
		chance, d := rand.New(rand.NewPCG(seed, 3)), fare.DayOf(analisitest.Today)
		var all []departure.Live
		for day := d - fare.Day(2+chance.IntN(60)); day <= d; day++ {
			for lead := fare.Day(1); lead <= 90; lead += fare.Day(1 + chance.IntN(9)) {
				price := 2000 + 100*chance.IntN(60)
				if seed%3 == 0 {
					price = 2999 + 1000*chance.IntN(2) // few prices: ties
				}
				all = append(all, departure.Live{Depart: day + lead, Price: fare.Cents(price),
					Found: day.Time().Unix() + 3600})
			}
		}
		s := siteOfSheets(sheetsByTrip{{Route: analisitest.MilBuh}: sheetOf(all, fare.EUR, 1)},
			analisitest.MilBuh, d, true)
		of, found := disagreements(t, s, "/?da=Milano&a=Bucarest&visto=45&quando="+(d+60).String(), 3)
		for colour, n := range of {
			colours[colour] += n
		}
		for _, f := range found {
			t.Errorf("seed %d: %s", seed, f)
		}
	}
	t.Logf("cells by colour: %v", colours)
	for _, colour := range []string{"less", "same", "more"} {
		if colours[colour] < 10 {
			t.Errorf("%d cells are %s", colours[colour], colour)
		}
	}
}

func sheetOf(all []departure.Live, currency fare.Currency, perEuro float64) []byte {
	var s departure.Learner
	s.Convert(currency, perEuro)
	last := fare.DayOf(time.Unix(all[len(all)-1].Found, 0))
	s.Facts = verdict.RouteSummary{View: verdict.View{Observations: len(all), Newest: all[len(all)-1].Found}}.Facts()
	s.Advance(last, departure.Start(last-40), all, new(departure.Statistics))
	return s.Encode()
}

// moving is a store of departure states whose history holds the fares that analisitest.SummaryOf
// summarises. If err is set, reading the history fails.
type moving struct {
	sheetsByTrip
	err error
}

func (m moving) Blocks(ctx context.Context, of fare.Series, read store.Consistency) ([]store.StoredBlock, error) {
	if m.err != nil {
		return nil, m.err
	}
	return analisitest.Sheets{}.Blocks(ctx, of, read)
}

// siteOfSheets returns a page for one route at the given day. If all is false, it may not show
// single fares.
func siteOfSheets(of analisitest.Departures, route fare.Route, day fare.Day, all bool) site {
	return openOn(day, analisitest.Site{Summaries: analisitest.Summaries{route: analisitest.SummaryOf(40)},
		Sheets: of, HideFares: !all})
}

func TestCalendarOfThePage(t *testing.T) {
	s := openSite("", "")
	for _, c := range []struct {
		name, target string
		asked        string // the highlighted day
		open         string // the open month
		link         string // the parameters that its links keep
	}{
		{"any departure", "/?da=Milano&a=Bucarest", "", "", "/?da=MIL&amp;a=BUH&amp;quando=2016-04-12\""},
		{"a day", "/?da=Milano&a=Bucarest&quando=2016-04-12", "2016-04-12", "2016-04",
			"/?da=MIL&amp;a=BUH&amp;quando=2016-04-13\""},
		{"a day, in a language and without stops", "/?da=Milano&a=Bucarest&quando=2016-04-12&diretto=si&lang=it",
			"2016-04-12", "2016-04", "&amp;quando=2016-04-13&amp;diretto=si&amp;lang=it\""},
		{"a month", "/?da=Milano&a=Bucarest&mese=2016-05", "", "2016-05",
			"/?da=MIL&amp;a=BUH&amp;quando=2016-04-12\""},
		{"a price seen is of the reader's departure alone", "/?da=Milano&a=Bucarest&quando=2016-04-12&visto=45",
			"2016-04-12", "2016-04", "/?da=MIL&amp;a=BUH&amp;quando=2016-04-13\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := s.visit(c.target, "Accept-Language", "it")
			body := calendarS.FindString(w.Body.String())
			asked, opened, days := "", "", 0
			for _, cell := range cellOf.FindAllStringSubmatch(body, -1) {
				days++
				day := quandoOf.FindStringSubmatch(html.UnescapeString(cell[2]))[1]
				if cell[3] != "" {
					asked += day
				}
				if at, err := fare.ParseDay(day); err != nil || fmt.Sprint(at.Time().Day()) != cell[4] ||
					at.Time().Day()%10 == 0 {
					t.Errorf("%s is written as %s, or has no fare", day, cell[4])
				}
				if cell[5] == "" || !signed.MatchString(cell[6]) {
					t.Errorf("%s has no fare, or no difference from the usual one: %q", day, cell)
				}
			}
			for _, m := range monthOf.FindAllStringSubmatch(body, -1) {
				if m[1] != "" {
					opened += m[4]
				}
			}
			if asked != c.asked || opened != c.open && c.open != "" || opened == "" {
				t.Errorf("%q is marked, %q is open", asked, opened)
			}
			if days < 100 || !strings.Contains(body, c.link) {
				t.Errorf("%d days; lacks %s:\n%.1500s", days, c.link, body)
			}
			if strings.Contains(body, "visto=") {
				t.Error("a fare of the reader's is kept")
			}
			if !strings.Contains(w.Body.String(), `<a href="#m2016-04">aprile</a>`) {
				t.Error("April does not lead to its departures")
			}
			if n := strings.Count(w.Body.String(), `mese=2017-02`); n < 1 {
				t.Errorf("a month without departures does not lead to its question (%d)", n)
			}
		})
	}
	if body := s.visit("/?da=Milano&a=Vienna").Body.String(); strings.Contains(body, `class="calendar"`) {
		t.Error("a calendar of a route whose departures are not known")
	}
}

// The calendar then compares each day with the usual fare in words.
func TestCalendarWithoutFares(t *testing.T) {
	s := siteOfSheets(tripSheets(), analisitest.MilBuh, fare.DayOf(analisitest.Today), false)
	w := s.visit("/?da=Milano&a=Bucarest&quando=2016-04-12", "Accept-Language", "it")
	cells := cellOf.FindAllStringSubmatch(w.Body.String(), -1)
	for _, c := range cells {
		if c[5] != "" || c[6] != "troppo pochi dati" && levelOf[strings.TrimSuffix(c[6], "o")+"o"]+levelOf[strings.TrimSuffix(c[6], "o")] == "" {
			t.Errorf("%s shows %q and %q", c[2], c[5], c[6])
		}
	}
	text := said(w)
	if len(cells) < 100 || !strings.Contains(text, "Qui i singoli prezzi non si mostrano.") ||
		!strings.Contains(text, "Il passato di questo volo Qui i singoli prezzi dei giorni "+
			"passati non si mostrano.") {
		t.Errorf("%d cells: %s", len(cells), text)
	}
}

// The page shows the days of GET /v1/storico, or the reason why it shows no history.
func TestMovesOfThePage(t *testing.T) {
	d := fare.DayOf(analisitest.Today)
	var all []departure.Live // of the departures in SummaryOf's history
	for _, o := range slices.Backward(analisitest.ObservationsOf(40)) {
		all = append(all, departure.Live{Depart: o.Depart, Price: o.Price, Found: o.Found})
	}
	of := sheetsByTrip{{Route: analisitest.MilBuh}: sheetOf(all, fare.EUR, 1)}
	last := all[len(all)-2]          // 25 days ahead, first seen 25 days before that
	for lead := range fare.Day(60) { // and others, found on its last day
		all = append(all, departure.Live{Depart: d + 100 + lead, Price: 40_00, Found: last.Found})
	}
	seen := last.Depart
	for _, c := range []struct {
		name, target string
		of           analisitest.Departures
		says         string
		rows         int
	}{
		{"a departure", "&quando=" + seen.String(), moving{of, nil},
			"Da venerdì 5 febbraio 2016 l&#39;abbiamo visto in 2 giorni diversi: fra 34,25\u00a0€ e 55\u00a0€. " +
				"L&#39;ultima volta " +
				"55\u00a0€, martedì 1º marzo 2016.", 2},
		{"a departure that was never seen", "&visto=45&quando=" + (seen + 200).String(), moving{of, nil},
			"Negli ultimi sei mesi nessuno ha trovato un prezzo per questa partenza.", 0},
		{"the history cannot be read", "&quando=" + seen.String(), moving{of, errors.New("secret internal text")},
			"Adesso non riusciamo a mostrarlo.", 0},
		{"a month has none", "&mese=" + seen.String()[:7], moving{of, errors.New("it is not asked for")}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := siteOfSheets(c.of, analisitest.MilBuh, d, true)
			w := s.visit("/?da=Milano&a=Bucarest"+c.target, "Accept-Language", "it")
			_, section, found := strings.Cut(w.Body.String(), "<summary>Il passato di questo volo")
			section, _, _ = strings.Cut(section, "</details>")
			if w.Code != 200 || found != (c.says != "") || !strings.Contains(section, c.says) ||
				strings.Contains(section, "internal") {
				t.Fatalf("%d, %v: %.600s", w.Code, found, section)
			}
			if rows := strings.Count(section, `<tr><th scope="row">`); rows < c.rows || c.rows == 0 && rows > 0 {
				t.Errorf("%d rows", rows)
			}
		})
	}
}

func weightOfAssets(t *testing.T) (all int) {
	t.Helper()
	for _, name := range []string{"home.js", "serif.woff2", "icon.svg"} {
		data, _, ok := page.File(strings.TrimPrefix(page.Asset(name), page.AssetPath))
		if !ok {
			t.Fatal(name)
		}
		all += len(data)
	}
	return all
}

// A page with its assets has at most 100 kB uncompressed with the calendar of a whole year, and 45
// kB of HTML with its style sheet without one. This is the largest case: seven months with a fare
// every day, and long city names.
func TestWeightOfAYear(t *testing.T) {
	const most, mostOfAnswer = 100_000, 45_000
	d, chance := fare.DayOf(analisitest.Today), rand.New(rand.NewPCG(1, 1))
	route := fare.Route{Origin: "REG", Destination: "SDQ"} // Reggio Calabria, Santo Domingo
	var all []departure.Live
	for day := d - 30; day <= d; day++ {
		for lead := fare.Day(1); lead <= 330; lead++ {
			all = append(all, departure.Live{Depart: day + lead, Price: fare.Cents(30000 + 100*chance.IntN(900)),
				Found: day.Time().Unix() + 3600})
		}
	}
	s := siteOfSheets(moving{sheetsByTrip{{Route: route}: sheetOf(all, fare.EUR, 1)}, nil}, route, d, true)
	assets := weightOfAssets(t)
	for _, target := range []string{"", "&quando=" + (d + 100).String(), "&mese=2016-06"} {
		w := s.visit("/?da=" + strings.ReplaceAll(places.Name("REG", "en"), " ", "+") + "&a=" +
			strings.ReplaceAll(places.Name("SDQ", "en"), " ", "+") + target + "&lang=en")
		cells := len(cellOf.FindAllString(w.Body.String(), -1))
		answer := w.Body.Len() - len(calendarS.FindString(w.Body.String()))
		t.Logf("%q: %d bytes of HTML, %d without the calendar, %d of assets, %d days", target, w.Body.Len(), answer,
			assets, cells)
		if w.Code != 200 || cells < 205 || w.Body.Len()+assets > most || answer > mostOfAnswer {
			t.Errorf("%d, %d days, %d bytes", w.Code, cells, w.Body.Len()+assets)
		}
	}
}
