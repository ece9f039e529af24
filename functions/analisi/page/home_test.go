package page_test

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/page"
)

// milanCoverage covers four destinations from Milan, one without a current fare.
type milanCoverage struct{ analisitest.Coverage }

func (milanCoverage) Deals(_ context.Context, origin fare.City, trip fare.Trip) ([]byte, int64, error) {
	d := fare.DayOf(analisitest.Today)
	one := func(to fare.City, all ...deals.Deal) deals.Entry {
		return deals.Entry{Destination: to, AsOf: d, Observations: 9, Any: deals.Fares{Route: all, Months: all}}
	}
	if trip != fare.OneWay {
		if origin != "MIL" || trip != fare.Return4to7 {
			return nil, 0, store.ErrNotFound
		}
		back := analisitest.Deal(verdict.Good, 20, d+40, 6999, 9000, fare.NonStop, 5)
		back.Fare.Nights = 6
		return deals.Origin{Entries: []deals.Entry{one("MAD", back)}}.Encode(), 1, nil
	}
	switch origin {
	case "PAR":
		return nil, 0, fmt.Errorf("read: %w", store.ErrUnavailable)
	case "MIL":
		buh := one("BUH", analisitest.Deal(verdict.Good, 20, d+40, 1999, 2949, fare.OneStop, 5))
		buh.NonStop = &deals.Fares{Route: []deals.Deal{analisitest.Deal(verdict.Expensive, 80, d+42, 8000,
			6000, fare.NonStop, 5)}}
		return deals.Origin{Entries: []deals.Entry{
			one("BHM", analisitest.Deal(verdict.Unjudged, 0, d+9, 9900, 0, fare.OneStop, 5)), buh,
			one("LON", analisitest.Deal(verdict.Great, 4, d+9, 2499, 4500, fare.OneStop, 80)), one("MAD"),
		}}.Encode(), 1, nil
	case "OLB":
		return deals.Origin{Entries: []deals.Entry{one("MIL")}}.Encode(), 1, nil
	}
	return nil, 0, store.ErrNotFound
}

type counters struct {
	limit.Counters
	taken []string
	full  string
	used  int64 // calls before
}

func (c *counters) Take(_ context.Context, key store.Key, _, limit int64, _ time.Time) (int64, error) {
	name, _, _ := strings.Cut(strings.TrimPrefix(key.Partition+" "+key.Sort, "LIMIT#"), "#")
	c.taken = append(c.taken, name)
	if c.full != "" && strings.Contains(key.Partition+key.Sort, c.full) {
		return limit, store.ErrLimit
	}
	return c.used + 1, nil
}

// steady returns the summary of a route that cost 50 euros on 39 days, once on one day, and price
// today.
func steady(once, price fare.Cents) verdict.RouteSummary {
	d := fare.DayOf(analisitest.Today)
	var all []fare.Observation
	for ago := fare.Day(40); ago >= 0; ago-- {
		one := fare.Observation{Found: (d - ago).Time().Unix() + 3600, Depart: d + 9, Price: 5000}
		switch ago {
		case 0:
			one.Price = price
		case 20:
			one.Price = once
		}
		all = append(all, one)
	}
	return verdict.Build(all, verdict.RouteSummary{}, d, verdict.Options{})
}

type site struct {
	*httpapi.API
	counters *counters
	requests *analisitest.Requests
}

func openSite(base, data string) site {
	stale := analisitest.SummaryOf(40)
	stale.AsOf -= 30
	s := site{counters: &counters{}, requests: &analisitest.Requests{}}
	s.API = analisitest.Site{
		Summaries: analisitest.Summaries{
			analisitest.MilBuh:                  analisitest.SummaryOf(40),
			{Origin: "MIL", Destination: "PRG"}: analisitest.SummaryOf(3),
			{Origin: "MIL", Destination: "VIE"}: analisitest.SummaryOf(1),
			{Origin: "MIL", Destination: "BER"}: steady(4980, 4990),
			{Origin: "MIL", Destination: "ATH"}: steady(6000, 5010),
			{Origin: "SJO", Destination: "BHM"}: analisitest.SummaryOf(40),
			{Origin: "MIL", Destination: "ROM"}: stale,
			{Origin: "MIL", Destination: "PAR"}: fmt.Errorf("read: %w", store.ErrUnavailable),
			{Origin: "MIL", Destination: "MAD"}: errors.New("secret internal text"),
		},
		Sheets: tripSheets(), Demand: s.requests, Counters: s.counters, Coverage: milanCoverage{},
		BaseURL: base, Data: data,
	}.Open()
	return s
}

func (s site) visit(target string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// said returns the text of a page's main part.
func said(w *httptest.ResponseRecorder) string {
	_, main, _ := strings.Cut(w.Body.String(), "<main")
	main = regexp.MustCompile(`(?s)<svg.*?</svg>`).ReplaceAllString(main, "")
	main = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(main, "")
	return strings.Join(strings.Fields(html.UnescapeString(main)), " ")
}

func TestPage(t *testing.T) {
	s := openSite("https://verdetto.example", "")
	for _, c := range []visit{
		{"first look", "/", "it", 200, "Il prezzo di oggi è buono?", ""},
		{"first look: cities that there are fares from", "/", "en", 200,
			"Where to fly cheaply now, from Milan · Rome", ""},
		{"first look in English", "/", "nl, en-GB;q=0.8, it;q=0.5", 200, "Is today's fare a good one?", ""},
		{"in no language that we speak", "/", "nl", 200, "Il prezzo di oggi è buono?", ""},
		{"language chosen", "/?lang=en", "it", 200, "Is today's fare a good one?", ""},
		{"unknown language chosen", "/?lang=nl", "en", 200, "Is today's fare a good one?", ""},
		{"empty fields", "/?a=+", "it", 200, "Il prezzo di oggi è buono?", ""},
		{"verdict", "/?da=milano&a=bucure%C8%99ti", "it", 200,
			"Da Milano a Bucarest · è un buon momento? In questo momento i prezzi sono molto bassi. " +
				"30 € Il più basso adesso · martedì 10 maggio 2016 · visto oggi.", "home"},
		{"verdict in English", "/?da=MIL&a=Bucarest", "en", 200,
			"Milan to Bucharest · is now a good time? Fares are very low right now.", "home"},
		{"too little is known", "/?da=Milano&a=Praga", "it", 200, "Non lo sappiamo ancora.", "home"},
		{"no live fare", "/?da=Milano&a=Roma", "it", 404, "Nessun prezzo recente.", "home"},
		{"not covered", "/?da=Bucarest&a=Milano", "it", 404, "Non seguiamo ancora questa rotta.", "home"},
		{"unknown destination", "/?da=Milano&a=Bukarestt", "it", 404,
			"Nessuna città con voli di linea si chiama «Bukarestt». Forse cercavi: Bucarest https", "home"},
		{"unknown origin", "/?da=Milanoo&a=Bucarest", "en", 404,
			"No city with scheduled flights is called “Milanoo”. Perhaps you meant: Milan", "home"},
		{"markup for a city", "/?da=%3Cscript%3Ealert(1)%3C/script%3E&a=Roma", "it", 404,
			"si chiama «<script>alert(1)</script>».", "home"},
		{"same city", "/?da=Milano&a=Milan", "it", 400, "Partenza e arrivo coincidono.", ""},
		{"no origin", "/?a=Milano", "it", 400, "Da dove parti?", ""},
		{"repeated", "/?da=Milano&da=Roma&a=Bucarest", "it", 400, "Non riusciamo a leggere la domanda.", ""},
		{"over-long", "/?da=Milano&a=" + strings.Repeat("a", 101), "it", 400,
			"Non riusciamo a leggere la domanda.", ""},
		{"bad escape", "/?da=Milano&a=%zz", "en", 400, "We cannot read the question.", ""},
		{"control character", "/?da=Mil%00ano&a=Roma", "it", 400, "Non riusciamo a leggere la domanda.", ""},
		{"invalid UTF-8", "/?da=Mil%ffano&a=Roma", "it", 400, "Non riusciamo a leggere la domanda.", ""},
		{"storage is down", "/?da=Milano&a=Parigi", "it", 503, "Qualcosa non va da noi.", "home"},
		{"storage fails", "/?da=Milano&a=Madrid", "it", 500, "Qualcosa non va da noi.", "home"},
		{"where it is cheap now", "/?da=Milano", "it", 200,
			"Un solo paese: Regno Unito · Romania · Stati Uniti " +
				"DestinazionePrezzoVerdettoVisto Londragio 10 mar20 € meno del solito24,99 €ottimo3 giorni " +
				"fa Bucarestdom 10 apr9 € meno del solito19,99 €buonoOggi Birminghamgio 10 mar99 €troppo " +
				"pochi datiOggi Prima le occasioni migliori. Sono prezzi trovati da altri viaggiatori, non offerte", "home"},
		{"in a month", "/?da=Milano&mese=2016-04", "en", 200,
			"BucharestSun 10 Apr€9 less than usual€19.99goodToday The best come first. These fares", "home"},
		{"up to an amount", "/?da=Milano&massimo=24,98", "en", 200,
			"Seen BucharestSun 10 Apr€9 less than usual€19.99goodToday The best", "home"},
		{"without stops", "/?da=Milano&diretto=si", "en", 200,
			"1 expensive destinationDestinationFareVerdictSeen BucharestTue 12 Apr€20 more than usual€80expensiveToday The best", "home"},
		{"of a day, by its month", "/?da=Milano&quando=2016-04-20", "it", 200,
			"il volo più economico che conosciamo ad aprile 2016, sola andata", "home"},
		{"of a return and a price seen", "/?da=Milano&quando=2016-04-20&ritorno=2016-04-22&visto=30", "it", 200,
			"In un elenco di destinazioni contano solo il mese, i voli diretti, la compagnia e il prezzo massimo.", "home"},
		{"of returns, by nights away", "/?da=Milano&quando=2016-04-20&ritorno=2016-04-25", "en", 200,
			"MadridSun 10 Apr – Sat 16 Apr€20 less than usual€69.99goodToday The best", "home"},
		{"no return so cheap", "/?da=Milano&quando=2016-04-20&ritorno=2016-04-25&massimo=60", "en", 404,
			"any date", "home"},
		{"nothing so cheap", "/?da=Milano&mese=2016-04&massimo=15", "it", 404,
			"Adesso non c'è nulla del genere. Ultimamente nessuno ha trovato un prezzo così da Milano. " +
				"Avvisami quando conviene partire da qui", "home"},
		{"no price of a fare", "/?da=Milano&massimo=0", "it", 400, "C'è qualcosa da correggere.", ""},
		{"words for a price", "/?da=Milano&massimo=poco", "en", 400, "Write a price such as", ""},
		{"destinations of a city that is not covered", "/?da=Cuneo", "it", 404,
			"Non conosciamo ancora voli da qui.", "home"},
		{"destinations of which none has a live fare", "/?da=Olbia", "it", 404,
			"Nessun prezzo recente. Seguiamo le rotte da qui", "home"},
		{"a known rank, and hardly a difference", "/?da=Milano&a=Berlino", "it", 200,
			"In questo momento i prezzi sono nella norma. 49,90 € Il più basso adesso · " +
				"giovedì 10 marzo 2016 · visto oggi. Su 40 giorni osservati dal 21 gennaio 2016, 1 aveva un prezzo più basso. " +
				"50 €metà dei giorni 50 € – 50 €50 € Certezza media", "home"},
		{"dear for its rank alone", "/?da=Milano&a=Atene", "it", 200,
			"Da Milano ad Atene · è un buon momento? In questo momento i prezzi sono nella norma.", "home"},
		{"one day is known", "/?da=Milano&a=Vienna", "it", 200,
			"Giorni di prezzi raccolti: 1 su 8, da lunedì 29 febbraio 2016. Il primo verdetto arriverà al più presto " +
				"martedì 8 marzo 2016.", "home"},
		{"destinations of an unknown city", "/?da=Atlantide", "it", 404,
			"Non conosciamo questa città.", "home"},
		{"destinations while storage is down", "/?da=Parigi", "it", 503, "Qualcosa non va da noi.", "home"},
	} {
		t.Run(c.name, func(t *testing.T) { s.check(t, c) })
	}
	if diff := cmp.Diff([]fare.City{"BUH", "CUF"}, s.requests.Origins); diff != "" {
		t.Errorf("requested origins: %s", diff)
	}
}

type visit struct {
	name, target, language string
	status                 int
	says                   string
	counted                string // which quota it counts toward
}

func (s site) check(t *testing.T, c visit) {
	t.Helper()
	s.counters.taken = nil
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	_, r.URL.RawQuery, _ = strings.Cut(c.target, "?")
	r.Header.Set("Accept-Language", c.language)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	text := said(w)
	if w.Code != c.status || !strings.Contains(text, strings.ReplaceAll(c.says, " €", "\u00a0€")) &&
		!strings.Contains(text, c.says) {
		t.Errorf("%d, want %q in\n%s", w.Code, c.says, text)
	}
	// Calls without a quota are counted in batches.
	counted := slices.DeleteFunc(s.counters.taken, func(name string) bool { return name == "others-free" })
	if got := strings.Join(counted, " "); !strings.HasPrefix(got, c.counted) ||
		(c.counted == "") != (got == "") {
		t.Errorf("counted as %q, want %q", got, c.counted)
	}
	body := w.Body.String()
	if strings.Contains(body, "<script>") || strings.Contains(body, "internal text") ||
		strings.Contains(body, " style=") || strings.Count(body, "<style") != 1 {
		t.Error("the page holds what it must not")
	}
	h := w.Header()
	cached := map[bool]string{true: "private, no-cache", false: "no-store"}[c.status == 200]
	if h.Get("Content-Type") != "text/html; charset=utf-8" || h.Get("Content-Security-Policy") != page.Policy() ||
		h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != cached ||
		!strings.Contains(h.Get("Vary"), "Accept-Language") {
		t.Errorf("headers %v", h)
	}
	filtered := regexp.MustCompile(`[&](mese|quando|diretto|massimo)=.`).MatchString(c.target)
	if noindex := strings.Contains(body, `content="noindex"`); noindex == (c.status == 200 && !filtered) {
		t.Errorf("noindex %v", noindex)
	}
}

// The form also keeps the two days. Each row links to the days of its own fare.
func TestReturnsWithoutADestinationKeepTheirDays(t *testing.T) {
	s := openSite("", "")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet,
		"/?da=Milano&quando=2016-04-20&ritorno=2016-04-25&lang=en", nil))
	for _, want := range []string{`name="quando" type="date" value="2016-04-20"`,
		`name="ritorno" type="date" value="2016-04-25"`, `name="massimo"`,
		`href="/?da=Milan&amp;a=Madrid&amp;quando=2016-04-10&amp;ritorno=2016-04-16&amp;lang=en"`} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s in\n%s", want, w.Body)
		}
	}
	if strings.Contains(w.Body.String(), `name="mese"`) {
		t.Error("the form asks for a month beside the days")
	}
}

// The region of the language, such as AT in de-AT, does not matter.
func TestPageSpeaksTheReadersLanguage(t *testing.T) {
	s := openSite("", "")
	for accepted, want := range map[string][2]string{ // on the first page, and about a route
		"de-AT,de;q=0.9,en;q=0.8": {"Ist der Preis heute gut?", "Mailand – Bukarest · ist jetzt ein guter Zeitpunkt?"},
		"fr-CH":                   {"Le prix d’aujourd’hui est-il bon\u202f?", "Milan – Bucarest · est-ce le bon moment\u00a0?"},
		"en;q=0.3, es;q=0.8":      {"¿Es bueno el precio de hoy?", "De Milán a Bucarest · ¿es un buen momento?"},
		"pt-BR,pt;q=0.9,en;q=0.8": {"O preço de hoje é bom?", "De Milão para Bucareste · é um bom momento?"},
	} {
		for i, target := range []string{"/", "/?da=Milano&a=Bucarest"} {
			if body := html.UnescapeString(s.visit(target, "Accept-Language",
				accepted).Body.String()); !strings.Contains(body, want[i]) {
				t.Errorf("%s for %s lacks %q", target, accepted, want[i])
			}
		}
	}
}
