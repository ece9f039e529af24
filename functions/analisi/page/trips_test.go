package page_test

import (
	"context"
	"errors"
	"html"
	"math/rand/v2"
	"net/http"
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
	"verdetto/shared/verdict/departure"
)

type sheetsByTrip map[fare.Series][]byte

func (s sheetsByTrip) Sheet(_ context.Context, of fare.Series, _ bool) ([]byte, error) {
	if data, ok := s[of]; ok {
		return data, nil
	}
	return nil, store.ErrNotFound
}

// Blocks fails, because a page must not read the history.
func (s sheetsByTrip) Blocks(context.Context, fare.Series, store.Consistency) ([]store.StoredBlock, error) {
	return nil, errors.New("the history is asked for")
}

func (s sheetsByTrip) Pooled(ctx context.Context, read store.Consistency) ([]byte, int64, error) {
	return analisitest.Sheets{}.Pooled(ctx, read)
}

// tripSheetOf returns a departure state with departures that cost 30 to 90 euros, except on the
// 10th, 20th and 30th of a month. Fares were recorded on the given number of days.
func tripSheetOf(days fare.Day, nights int16, stops departure.StopsKnown) []byte {
	d, chance := fare.DayOf(analisitest.Today), rand.New(rand.NewPCG(7, 5))
	var s departure.Learner
	s.Convert(fare.EUR, 1)
	s.Stops = stops
	s.Facts = verdict.RouteSummary{View: verdict.View{
		Observations: 4800, Newest: analisitest.Today.Unix() - 7200,
		Window: &verdict.Window{From: 30, To: 60, Median: 40_00, Sample: 100},
		Months: []verdict.Month{{Month: 2, Median: 3999, Sample: 40}, {Month: 4, Median: 4999, Sample: 40},
			{Month: 3, Median: 5999, Sample: 40}},
	}}.Facts()
	price := map[fare.Day]fare.Cents{}
	var all []departure.Live
	for day := d - days; day <= d; day++ {
		for lead := fare.Day(1); lead <= 120; lead++ {
			at := day + lead
			if price[at] == 0 || chance.IntN(8) == 0 {
				price[at] = fare.Cents(3000 + 100*chance.IntN(60))
			}
			if at.Time().Day()%10 == 0 {
				continue
			}
			all = append(all, departure.Live{Depart: at, Price: price[at], Found: day.Time().Unix() + 3600,
				Stops: fare.NonStop, Nights: nights})
		}
	}
	var left departure.Statistics
	s.Advance(d, departure.Start(d-days), all, &left)
	return s.Encode()
}

// fewOnSale returns a departure state in which one day of fares has 8 departures on sale, one less
// than a verdict needs.
func fewOnSale() []byte {
	d := fare.DayOf(analisitest.Today)
	var s departure.Learner
	s.Convert(fare.EUR, 1)
	s.Stops = departure.AllNonStop
	of := verdict.View{Observations: 8, Newest: analisitest.Today.Unix() - 7200}
	s.Facts = verdict.RouteSummary{View: of}.Facts()
	var all []departure.Live
	first, _ := fare.ParseDay("2016-04-08")
	for i := range fare.Day(8) {
		all = append(all, departure.Live{Depart: first + i, Price: 4000 + 100*fare.Cents(i),
			Found: d.Time().Unix() + 3600, Stops: fare.NonStop})
	}
	s.Advance(d, departure.Start(d), all, new(departure.Statistics))
	return s.Encode()
}

func tripSheets() sheetsByTrip {
	berlin := fare.Route{Origin: "MIL", Destination: "BER"}
	return sheetsByTrip{
		{Route: analisitest.MilBuh}:                            tripSheetOf(40, 0, departure.AllNonStop),
		{Route: analisitest.MilBuh, Trip: fare.Return4to7}:     tripSheetOf(40, 5, departure.AllNonStop),
		{Route: berlin, Trip: fare.Return1to3}:                 tripSheetOf(40, 2, departure.StopsUnknown),
		{Route: berlin}:                                        tripSheetOf(40, 0, departure.StopsUnknown),
		{Route: fare.Route{Origin: "MIL", Destination: "PRG"}}: fewOnSale(),
	}
}

func TestTrips(t *testing.T) {
	s := openSite("https://v.example", "")
	const route = "/?da=Milano&a=Bucarest"
	for _, c := range []struct {
		name, target, language string
		status                 int
		says                   []string
		lacks                  string
	}{
		{"a day", route + "&quando=2016-04-12", "it", 200, []string{
			"Milano → Bucarest · mar 12 apr · solo andata", " per quel giorno.",
			"Il prezzo che conosciamo · visto oggi.", "Voli come questo di solito costano circa 51 €: sono 5 € in più.",
			"Certezza",
			"Questo prezzo l'ha trovato un altro viaggiatore: potrebbe non essere più disponibile.",
			"Conviene aspettare? Non contarci: su 100 prezzi simili ", "entro 7 giorni", "entro 14 giorni",
			"L'avviso vale per le scelte qui sotto; cambiale per estenderlo.",
		}, "giorni osservati"},
		{"a day in English", route + "&quando=2016-04-12", "en", 200,
			[]string{"Milan to Bucharest · Tuesday 12 April 2016 · is this fare good?",
				"Flights like this usually cost about",
				"Does waiting pay? Don't count on it: of 100 such fares"}, ""},
		{"a month", route + "&mese=2016-04", "it", 200,
			[]string{"aprile 2016 · solo andata", "Il più economico del mese che conosciamo · sabato 2 aprile 2016", " per il suo giorno.",
				"Voli come questo di solito costano circa"}, ""},
		{"days around one that has no fare", route + "&quando=2016-04-20&flessibile=3", "it", 200,
			[]string{"Da Milano a Bucarest · mercoledì 20 aprile 2016 · ± 3 giorni",
				"Il più economico di questi giorni che conosciamo · ", "Conviene aspettare?"}, ", mercoledì 20 aprile"},
		{"a week around, in English", route + "&quando=2016-04-20&flessibile=7", "en", 200,
			[]string{"Wednesday 20 April 2016 · ± 7 days", "The cheapest of these days that we know · "}, "Seen on"},
		{"around days that have no fare", route + "&quando=2016-12-20&flessibile=1", "it", 404,
			[]string{"un prezzo per martedì 20 dicembre 2016 ± 1 giorno.", "il prezzo più basso del mese"}, ""},
		{"around an unoffered number of days", route + "&quando=2016-04-12&flessibile=2", "it", 200,
			[]string{"martedì 12 aprile 2016 · è un buon prezzo?", "Il prezzo che conosciamo · "}, "questi giorni"},
		{"around no day", route + "&mese=2016-04&flessibile=3", "it", 200,
			[]string{"Il più economico del mese che conosciamo · "}, "± 3 giorni"},
		{"out and back", route + "&quando=2016-04-12&ritorno=2016-04-18", "it", 200,
			[]string{"Bucarest · martedì 12 aprile 2016 – domenica 17 aprile 2016",
				" per quei giorni.",
				"Hai chiesto 6 notti; questo prezzo è per 5 notti, il più vicino che conosciamo."},
			"· solo andata"},
		{"back on the very day", route + "&quando=2016-04-12&ritorno=2016-04-17", "it", 200,
			[]string{"martedì 12 aprile 2016 – domenica 17 aprile 2016"}, "Hai chiesto"},
		{"non-stop", route + "&quando=2016-04-12&diretto=si", "it", 200,
			[]string{"12 aprile 2016 · diretto"}, ""},
		{"a day in words", route + "&quando=12 apr", "it", 200, []string{
			"Abbiamo letto «12 apr» come martedì 12 aprile 2016."}, ""},
		{"the month first", route + "&quando=4/12", "en", 200, []string{
			"We read “4/12” as Tuesday 12 April 2016."}, ""},
		{"days of a return in figures", route + "&quando=12.4.&ritorno=sonntag", "de", 200, []string{
			"„12.4.“ haben wir als Dienstag, 12. April 2016 gelesen.",
			"„sonntag“ haben wir als Sonntag, 17. April 2016 gelesen."}, ""},
		{"within a week", route + "&quando=2016-03-05", "en", 200,
			[]string{"this late, we have no record of how waiting turns out"}, "within 7 days"},
		{"today", route + "&quando=2016-03-01", "en", 200, []string{"for that day."}, "Does waiting pay?"},
		{"a price seen for a day without a fare", route + "&quando=2016-04-20&visto=35", "it", 200,
			[]string{"35 € Il tuo prezzo.", "Voli come questo", "Conviene aspettare? Su 100 prezzi simili, ",
				"Non sappiamo quanto dura la tua offerta."}, "non è convenuto"},
		{"a price seen for a month", route + "&mese=2016-04&visto=35,50", "it", 200,
			[]string{"35,50 € Il tuo prezzo. Conosciamo un prezzo per aprile 2016 di 30 € (sabato 2 aprile " +
				"2016), visto " +
				"oggi: 5,50 € meno del tuo.", "Conviene aspettare? Che cosa succede a chi aspetta"}, "Su 100 prezzi così"},
		{"a price seen, any time", route + "&visto=95", "it", 200,
			[]string{"Un volo caro.",
				"95 € Il tuo prezzo. Conosciamo un prezzo " +
					"per questa rotta di 30 €", "scegli un giorno."}, "Su 100 prezzi così"},
		{"a price paid for a day", route + "&quando=2016-04-12&visto=95", "en", 200,
			[]string{"is already below it: the first message can come on Wednesday 2 March 2016."}, ""},
		{"a price seen, lower than ever", route + "&visto=€ 10", "en", 200,
			[]string{"€10 Your price. We know a fare for this route of €30 (Tuesday 10 " +
				"May 2016), seen today: €20 more than yours.", "None of the 40 days since 21 January 2016 had a lower fare."}, ""},
		{"no fare on the day", route + "&quando=2016-04-20&diretto=si", "it", 404, []string{
			"Nessun prezzo attuale per questa data.", "un prezzo per mercoledì 20 aprile 2016.",
			"Per mercoledì 20 aprile il prezzo abituale è circa", "Conviene aspettare? Adesso non conosciamo un " +
				"prezzo acquistabile.",
			"Le partenze più vicine che hanno un prezzo: lunedì 18 aprile 2016 · 74 € · 15 € più del solito",
			"giovedì 21 aprile 2016 · ",
			"voli con scalo", "il prezzo più basso del mese", "qualsiasi data",
			"Ho visto o pagato un altro prezzo",
		}, ""},
		{"no fare for a return", route + "&quando=2016-12-08&ritorno=2016-12-13", "it", 404,
			[]string{"un prezzo per giovedì 8 dicembre 2016 – martedì 13 dicembre 2016."}, ""},
		{"no fare in the month", route + "&mese=2016-12", "en", 404,
			[]string{"nobody has found a fare for December 2016 recently."}, "for December 2016 · "},
		{"no returns of that length", route + "&quando=2016-04-12&ritorno=2016-04-30", "it", 404,
			[]string{"Ancora nessun volo di andata e ritorno così.", "da 15 notti o più", "solo l'andata"},
			"Ho visto o pagato un altro prezzo"},
		{"no returns of that length, in English", route + "&quando=2016-04-12&ritorno=2016-04-14", "en", 404,
			[]string{"return of 1 to 3 nights"}, ""},
		{"stops unknown", "/?da=Milano&a=Berlino&quando=2016-04-12&diretto=si", "it", 404,
			[]string{"Non sappiamo quali voli sono diretti.", "voli con scalo"}, ""},
		{"too little is known", "/?da=Milano&a=Praga&quando=2016-04-12", "it", 200,
			[]string{"Non lo sappiamo ancora.", "troppo pochi prezzi simili"}, "Certezza"},
		{"the route", route, "it", 200,
			[]string{"i prezzi sono molto bassi", "30 € Il più basso adesso · "}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := s.visit(strings.ReplaceAll(c.target, " ", "%20"), "Accept-Language", c.language)
			text := strings.ReplaceAll(said(w), "\u00a0", " ")
			if w.Code != c.status {
				t.Errorf("%d, want %d", w.Code, c.status)
			}
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("does not say %q", want)
				}
			}
			if c.lacks != "" && strings.Contains(text, c.lacks) {
				t.Errorf("says %q", c.lacks)
			}
			if t.Failed() {
				t.Log(text)
			}
			if w.Body.Len() > 60_000 {
				t.Errorf("%d bytes", w.Body.Len())
			}
		})
	}
}

// The page shows the fault next to the field, and the call does not count toward the quota.
func TestTripsThatCannotBe(t *testing.T) {
	s := openSite("", "")
	for _, c := range []struct {
		name, trip string
		at         string // the field
		it, en     string
	}{
		{"a day that has been", "quando=2016-02-29", "quando", "È già passato: scegli da oggi in poi.",
			"That has passed: choose from today on."},
		{"a month that has been", "mese=2016-02", "mese", "È già passato: scegli da oggi in poi.",
			"That has passed: choose from today on."},
		{"a day too far ahead", "quando=2017-03-02", "quando", "scegli un giorno entro il 1º marzo 2017.",
			"choose 1 March 2017 at the latest."},
		{"a month too far ahead", "mese=2018-01", "mese", "Conosciamo i prezzi fino a un anno in anticipo",
			"Fares are known up to a year ahead"},
		{"no day of the calendar", "quando=2016-04-31", "quando", "Il giorno «2016-04-31» non esiste nel calendario.",
			"The calendar has no such day: “2016-04-31”."},
		{"no day of the calendar, in words", "quando=30+febbraio", "quando", "Il giorno «30 febbraio» non esiste",
			"no such day: “30 febbraio”."},
		{"another weekday", "quando=Sun+12+April+2016", "quando", "quella data è martedì 12 aprile 2016",
			"that date is Tuesday 12 April 2016."},
		{"no day at all", "quando=presto", "quando", "Scrivi per esempio 20 marzo", "Write, for example, 20 March"},
		{"no month", "mese=2016-13", "mese", "Scegli un mese dall'elenco.", "Choose a month from the list."},
		{"back before out", "quando=2016-04-12&ritorno=2016-04-11", "ritorno",
			"Il ritorno dev'essere dopo la partenza.", "The return has to be after the departure."},
		{"back on the same day", "quando=2016-04-12&ritorno=2016-04-12", "ritorno",
			"Il ritorno dev'essere dopo la partenza.", "The return has to be after the departure."},
		{"back years later", "quando=2016-04-12&ritorno=2019-04-12", "ritorno",
			"Il soggiorno è troppo lungo: scegli un giorno entro l'8 marzo 2017.", "choose 8 March 2017 at the latest."},
		{"back without out", "ritorno=2016-04-12", "ritorno", "ci serve anche il giorno di partenza",
			"we need the day of departure too"},
		{"a month and a day", "mese=2016-04&quando=2016-04-12", "mese",
			"Scegli o un mese o un giorno, non tutti e due.", "Choose a month or a day, not both."},
		{"a price of nothing", "visto=0", "visto", "più di 0, e al massimo 100.000 €.",
			"more than 0, and at most €100,000."},
		{"an absurd price", "visto=100001", "visto", "più di 0, e al massimo 100.000 €.",
			"more than 0, and at most €100,000."},
		{"a negative price", "visto=-5", "visto", "più di 0", "more than 0"},
		{"words for a price", "visto=tanto", "visto", "Scrivi un prezzo come 45, 45,50",
			"Write a price such as 45, 45.50"},
		{"thousands, badly", "visto=1.20.0", "visto", "Scrivi un prezzo come", "Write a price such as"},
		{"a limit of nothing", "massimo=0", "massimo", "più di 0, e al massimo 100.000 €.",
			"more than 0, and at most €100,000."},
		{"an absurd limit", "massimo=100001", "massimo", "più di 0, e al massimo 100.000 €.",
			"more than 0, and at most €100,000."},
		{"words for a limit", "massimo=poco", "massimo", "Scrivi un prezzo come", "Write a price such as"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for i, want := range []string{c.it, c.en, c.it, c.en} {
				language, cities := []string{"it", "en"}[i%2], []string{"da=Milano", "da=Milano&a=Bucarest"}[i/2]
				if c.at == "massimo" && i/2 > 0 {
					break // it is about destinations
				}
				s.counters.taken = nil
				w := s.visit("/?"+cities+"&"+c.trip, "Accept-Language", language)
				body := html.UnescapeString(w.Body.String())
				beside := regexp.MustCompile(`<p class="fault" id="` + c.at +
					`-fault">([^<]*)</p>`).FindStringSubmatch(body)
				if w.Code != http.StatusBadRequest || beside == nil || !strings.Contains(beside[1], want) {
					t.Errorf("%s, %s: %d, beside the field %q, want %q", cities, language, w.Code, beside, want)
				}
				if !regexp.MustCompile(`id="`+c.at+`"[^>]* aria-invalid="true" `+
					`aria-describedby="`+c.at+`-fault[ "]`).MatchString(body) ||
					!strings.Contains(body, `<a href="#`+c.at+`">`) {
					t.Errorf("%s: the field is not marked, or not linked to", language)
				}
				if !strings.Contains(body, `<details class="trip" open>`) {
					t.Errorf("%s: the fields are not shown", language)
				}
				if slices.ContainsFunc(s.counters.taken,
					func(cap string) bool { return cap == "home-free" }) {
					t.Errorf("%s: counted as %v", language, s.counters.taken)
				}
			}
		})
	}
	body := s.visit("/?da=Milano&a=Bucarest&quando=2016-02-01&visto=0").Body.String()
	if !strings.Contains(body, "quando-fault") || !strings.Contains(body, "visto-fault") {
		t.Error("of two faults one is missing")
	}
	if w := s.visit("/?da=Milano&a=Bucarest&diretto=forse"); w.Code != 400 {
		t.Errorf("diretto=forse: %d", w.Code)
	}
}

func TestTripsAreKept(t *testing.T) {
	s := openSite("https://v.example", "")
	const kept = "&quando=2016-04-12&ritorno=2016-04-17&diretto=si&visto=45"
	body := html.UnescapeString(s.visit("/?da=Milano&a=Bucarest" + kept + "&lang=en").Body.String())
	for _, want := range []string{
		`<meta property="og:url" content="https://v.example/?da=Milan&a=Bucharest` + kept + `&lang=en">`,
		`content="https://v.example/card/MIL-BUH-2016-04-12-2016-04-17-diretto-visto4500-en.png"`,
		`class="switch" href="/?da=Milano&a=Bucarest` + kept + `&lang=it"`,
		`href="/?da=Milan&mese=2016-04&diretto=si&lang=en"`, // where else it is cheap
		`name="quando" type="date" value="2016-04-12"`, `name="ritorno" type="date" value="2016-04-17"`,
		`name="visto" value="45"`, `value="si" checked`,
		`<a href="#m2016-04">April</a>`,
		`<meta name="robots" content="noindex">`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("lacks %s", want)
		}
	}
	body = html.UnescapeString(
		s.visit("/?da=Milano&a=Bucarest&quando=2016-04-20&ritorno=2016-04-25&diretto=si").Body.String())
	if want := `href="/?da=Milano&a=Bucarest&quando=2016-04-19&ritorno=2016-04-24&diretto=si"`; !strings.Contains(body,
		want) {
		t.Errorf("a departure near it lacks %s", want)
	}
	body = html.UnescapeString(s.visit("/?da=Milano&a=Bucarest&quando=2016-04-20&flessibile=3",
		"Accept-Language", "it").Body.String())
	for _, want := range []string{
		`<option value="3" selected>`, `content="https://v.example/card/MIL-BUH-2016-04-20-flessibile3-it.png"`,
		`href="/?da=Milano&a=Bucarest&quando=2016-04-20&flessibile=3&lang=en"`,
		`<a href="/?da=MIL&a=BUH&mese=2016-04">`, // a month has no days around it
	} {
		if !strings.Contains(body, want) {
			t.Errorf("days around lack %s", want)
		}
	}
	if body := s.visit("/?da=Milano&quando=2016-04-20&flessibile=3", "Accept-Language",
		"it").Body.String(); strings.Contains(body, `id="flessibile"`) {
		t.Error("the list of destinations, which has no days around one, asks for them")
	}
	body = html.UnescapeString(s.visit("/?da=Milano&a=Bucarest&quando=2016-04-12&diretto=si").Body.String())
	if want := `href="/?da=Bucarest&a=Milano&diretto=si"`; !strings.Contains(body, want) {
		t.Errorf("lacks %s", want)
	}
	body = html.UnescapeString(s.visit("/?da=Milano&mese=2016-04", "Accept-Language", "it").Body.String())
	if want := `href="/?da=Milano&a=Bucarest&mese=2016-04"`; !strings.Contains(body, want) {
		t.Errorf("destinations lack %s", want)
	}
}

// A page says that waiting pays only if it did in the past, and states how often fares fell and rose.
func TestWaitingIsAdvisedOnlyWhereItPaid(t *testing.T) {
	lead, soon := 40, 7
	week := verdict.Forecast{Fall: verdict.Fall{Days: 7, Chance: .4, OrMore: true}, Mean: -210, Low: -300, High: -100,
		Dearer: .29}
	fortnight := week
	fortnight.Days, fortnight.Mean = 14, -450
	paid := fortnight
	paid.Pays = true
	for _, c := range []struct {
		name string
		of   []verdict.Forecast
		want string
	}{
		{"cheaper on average, and not for sure", []verdict.Forecast{week, fortnight},
			"Non contarci: su 100 prezzi simili almeno 40 in calo dopo 7 giorni, 0 in aumento"},
		{"it has paid", []verdict.Forecast{week, paid},
			"In media sì: su 100 prezzi simili almeno 40 in calo dopo 14 giorni, 0 in aumento"},
		{"too late to tell", nil, "Si parte entro una settimana: con così poco anticipo non sappiamo che " +
			"cosa succede a chi aspetta."},
	} {
		ahead := &lead
		if c.of == nil {
			ahead = &soon
		}
		got := page.WaitAdvice(i18n.ForCode("it"), verdict.Judgement{Lead: ahead, Forecasts: c.of})
		if got := strings.ReplaceAll(got, "\u00a0", " "); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
