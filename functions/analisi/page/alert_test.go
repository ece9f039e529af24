package page_test

import (
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi/analisitest"
	"verdetto/functions/analisi/page"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
)

var (
	controls  = regexp.MustCompile(`<(input|select|option)([^>]*)>`)
	attribute = regexp.MustCompile(`([a-z-]+)(?:="([^"]*)")?`)
)

// sentBy returns the values that a browser without scripts sends from an unchanged alert form.
func sentBy(t *testing.T, body string) url.Values {
	t.Helper()
	_, form, found := strings.Cut(body, `<form class="alert"`)
	form, _, whole := strings.Cut(form, "</form>")
	if !found || !whole {
		t.Fatalf("there is no form of an alert in %.300s", body)
	}
	sent, inSelect := url.Values{}, ""
	for _, m := range controls.FindAllStringSubmatch(form, -1) {
		has := map[string]string{}
		for _, a := range attribute.FindAllStringSubmatch(m[2], -1) {
			has[a[1]] = html.UnescapeString(a[2])
		}
		_, selected := has["selected"]
		_, checked := has["checked"]
		switch {
		case m[1] == "select":
			inSelect = has["name"]
		case m[1] == "option" && (selected || !sent.Has(inSelect)):
			sent.Set(inSelect, has["value"])
		case m[1] == "input" && (has["type"] != "checkbox" || checked):
			sent.Set(has["name"], has["value"])
		}
	}
	return sent
}

func TestFormOfAnAlert(t *testing.T) {
	s := openSite("https://v.example", "")
	const route = "/?da=Milano&a=Bucarest"
	for _, c := range []struct {
		name, target, want string
	}{
		{"any departure", route, ""},
		{"a threshold", route + "&soglia=45,50", "threshold=45,50"},
		{"one that is none", route + "&soglia=gratis", ""},
		{"a day", route + "&quando=2016-04-12", "departure=2016-04-12"},
		{"days around it", route + "&quando=2016-04-12&flessibile=3", "departure=2016-04-09..2016-04-15"},
		{"days around a day without a fare", route + "&quando=2016-04-20&diretto=si&flessibile=7",
			"departure=2016-04-13..2016-04-27&nonstop=true"},
		{"around an unoffered number of days", route + "&quando=2016-04-12&flessibile=2", "departure=2016-04-12"},
		{"days around nothing", route + "&flessibile=3", ""},
		{"a month", route + "&mese=2016-04", "month=2016-04"},
		{"out and back", route + "&quando=2016-04-12&ritorno=2016-04-18", "departure=2016-04-12&nights=4-7"},
		{"returns that have no fare", route + "&quando=2016-04-12&ritorno=2016-04-30",
			"departure=2016-04-12&nights=15%2B"},
		{"nights", route + "&notti=4-7&diretto=si", "nights=4-7&nonstop=true"},
		{"nights of no class", route + "&notti=5", ""},
		{"of nights and a return the return", route + "&quando=2016-04-12&ritorno=2016-04-18&notti=15%2B",
			"departure=2016-04-12&nights=4-7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, err := url.ParseQuery("route=MIL-BUH&email=&threshold=&kind=&days=&percent=&amount=&channel=mail&address=&" + c.want)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(c.want, "departure") {
				want.Set("paid", "") // offered for a trip with a day
			}
			for name, all := range want { // the last one counts
				want[name] = all[len(all)-1:]
			}
			body := s.visit(c.target, "Accept-Language", "it").Body.String()
			if d := cmp.Diff(want, sentBy(t, body)); d != "" {
				t.Error(d)
			}
			open := strings.Contains(body, `<details class="trip" open><summary>Quando avvisarti e come`)
			if trip := regexp.MustCompile(`departure|month|nights|nonstop`).MatchString(c.want); open != trip {
				t.Errorf("open: %t", open)
			}
			if strings.Contains(body, "Telegram") {
				t.Error("a channel is offered that there is not")
			}
		})
	}
}

// The form states how often alerts are checked and when the first message can come. For an earlier
// departure it says why an alert is refused, and offers later days, and no range that begins too
// early.
func TestFormSaysWhenAMessageCanCome(t *testing.T) {
	s := openSite("https://v.example", "")
	const today = "/?da=Milano&a=Bucarest&quando="
	for _, c := range []struct {
		day, chosen string
		late        bool
	}{{day(0), day(0), true}, {day(1), day(1), true}, {day(2), day(2), false}} {
		body := s.visit(today+c.day, "Accept-Language", "en").Body.String()
		first := i18n.English().WeekdayDate(fare.DayOf(analisitest.Today)+1) + " at the earliest"
		for text, want := range map[string]bool{
			"We check the fare once a day: you could get the first message on " + first + ".": !c.late,
			"The first message can come on " + first + ": too late for this departure.":       c.late,
			"Choose among the later days below.":                                              c.late,
			"The alert covers the choices below":                                              !c.late,
			`<option value="paid">`:                                                           !c.late,
		} {
			if strings.Contains(body, text) != want {
				t.Errorf("%s: the form says %q: %t", c.day, text, !want)
			}
		}
		if got := sentBy(t, body).Get("departure"); got != c.chosen {
			t.Errorf("%s: the form asks for %s", c.day, got)
		}
	}
}

func TestFormAfterTheLastDayOfAMonth(t *testing.T) {
	last := fare.DayOf(time.Date(2016, 3, 30, 12, 0, 0, 0, time.UTC))
	for day, want := range map[fare.Day]string{last - 1: "2016-03", last: ""} {
		body := openOn(day, analisitest.Site{}).visit("/?da=Milano&a=Bucarest&mese=2016-03&lang=en").Body.String()
		got, late := sentBy(t, body).Get("month"), strings.Contains(body, "too late for")
		if got != want || late != (want == "") {
			t.Errorf("on %s the form asks for month %q; too late: %t", day, got, late)
		}
	}
}

func day(n fare.Day) string { return (fare.DayOf(analisitest.Today) + n).String() }

func TestFormOfAnAlertToAnywhere(t *testing.T) {
	s := openSite("https://v.example", "")
	for _, c := range []struct {
		name, target string
		status       int
		want         string
	}{
		{"any fare", "/?da=Milano", 200, "threshold="},
		{"up to an amount", "/?da=Milano&massimo=24,98", 200, "threshold=24,98"},
		{"up to an amount, as people write it", "/?da=Milano&massimo=%E2%82%AC+60", 200, "threshold=60"},
		{"in a month", "/?da=Milano&mese=2016-04", 200, "threshold=&month=2016-04"},
		{"without stops", "/?da=Milano&diretto=si", 200, "threshold=&nonstop=true"},
		{"where nothing is as cheap", "/?da=Milano&massimo=1", 404, "threshold=1"},
		{"to a country", "/?da=Milano&a=Romania", 200, "threshold=&area=RO"},
		{"to a continent, in the reader's words", "/?da=Milano&a=Europa&diretto=si", 200,
			"threshold=&nonstop=true&area=150"},
		{"to a country without a fare", "/?da=Milano&a=Giappone", 404, "threshold=&area=JP"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, err := url.ParseQuery("route=MIL-*&email=&level=buono&channel=mail&address=&" + c.want)
			if err != nil {
				t.Fatal(err)
			}
			w := s.visit(c.target, "Accept-Language", "it")
			if d := cmp.Diff(want, sentBy(t, w.Body.String())); d != "" || w.Code != c.status {
				t.Error(w.Code, d)
			}
		})
	}
}

// The link contains the trip of the question even if no page shows the verdict for it.
func TestLinkToTheFormOfAnAlert(t *testing.T) {
	s := page.Service{BaseURL: "https://v.example"}
	of := fare.Series{Route: fare.Route{Origin: "MIL", Destination: "BUH"}}
	const at = "https://v.example/?da=MIL&a=BUH"
	for _, c := range []struct {
		name        string
		trip        published.Trip
		page, alert string
	}{
		{"any departure", published.Trip{}, at + "&lang=en", at + "&lang=en#alert-title"},
		{"a day and a price", published.Trip{Partenza: "2016-04-12", Prezzo: "45.5"},
			at + "&quando=2016-04-12&visto=45.50&lang=en",
			at + "&quando=2016-04-12&lang=en&soglia=45.50#alert-title"},
		{"a price in yen", published.Trip{Partenza: "2016-04-12", Prezzo: "5000", Valuta: "JPY"},
			at + "&quando=2016-04-12&visto=5000&lang=en&valuta=JPY",
			at + "&quando=2016-04-12&lang=en&valuta=JPY&soglia=5000+JPY#alert-title"},
		{"days around one", published.Trip{Partenza: "2016-04-12", Flessibile: "3"},
			at + "&quando=2016-04-12&flessibile=3&lang=en",
			at + "&quando=2016-04-12&flessibile=3&lang=en#alert-title"},
		{"a month without stops", published.Trip{Mese: "2016-04", Diretto: true},
			at + "&mese=2016-04&diretto=si&lang=en", at + "&mese=2016-04&diretto=si&lang=en#alert-title"},
		{"a return", published.Trip{Partenza: "2016-04-12", Ritorno: "2016-04-30"},
			at + "&quando=2016-04-12&ritorno=2016-04-30&lang=en",
			at + "&quando=2016-04-12&ritorno=2016-04-30&lang=en#alert-title"},
		{"nights", published.Trip{Notti: "15+"}, "", at + "&lang=en&notti=15%2B#alert-title"},
		{"nights after some days", published.Trip{Partenza: "2016-04-12", Flessibile: "7", Notti: "4-7"}, "",
			at + "&quando=2016-04-12&flessibile=7&lang=en&notti=4-7#alert-title"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.trip.Valuta == "" {
				c.trip.Valuta = "EUR"
			}
			q, err := c.trip.Question(func(parameter string) string { return parameter })
			if err != nil {
				t.Fatal(err)
			}
			page, alert := s.Addresses(of, c.trip.Valuta, q, i18n.English())
			if d := cmp.Diff([2]string{c.page, c.alert}, [2]string{page, alert}); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestThresholdAlreadyMet(t *testing.T) {
	s := openSite("", "")
	const day = "/?da=Milano&a=Bucarest&lang=en&quando=2016-04-12"
	for _, c := range []struct {
		name, target, lowest string
		met                  bool
	}{
		{"a threshold above the fare", day + "&soglia=90", "56", true},
		{"a threshold below the fare", day + "&soglia=20", "56", false},
		{"no threshold", day, "56", false},
		{"in dollars", day + "&valuta=USD&soglia=90", "70", true},
		{"a fare of the reader's own is no known fare", day + "&visto=12&soglia=90", "56", true},
		{"an alert of returns on a page of one-way fares", "/?da=Milano&a=Bucarest&lang=en&notti=4-7&soglia=90", "", false},
	} {
		body := html.UnescapeString(s.visit(c.target).Body.String())
		_, note, found := strings.Cut(body, `<p class="small" id="threshold-met" role="status"`)
		attributes, text, _ := strings.Cut(note, ">")
		if found != (c.lowest != "") || (found && attributes == "") != c.met {
			t.Errorf("%s: shown %v, attributes %q", c.name, found, attributes)
		}
		if found && (!strings.Contains(text, "already under it: ") ||
			!strings.Contains(body, `data-lowest="`+c.lowest+`.`)) {
			t.Errorf("%s: %.150s, want data-lowest %s", c.name, text, c.lowest)
		}
	}
}

func TestAlertOfAnUnknownRoute(t *testing.T) {
	s := openSite("", "")
	text := said(s.visit("/?da=Pisa&a=Tashkent&lang=en"))
	if !strings.Contains(text, "The first message can come when we know a fare for this route") ||
		strings.Contains(text, "at the earliest") {
		t.Errorf("in\n%s", text)
	}
	if text := said(s.visit("/?da=Milano&a=Bucarest&lang=en")); !strings.Contains(text, "at the earliest") {
		t.Errorf("no first day in\n%s", text)
	}
}
