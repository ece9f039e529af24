package analisi_test

import (
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
)

func airline(code string) (f fare.Flight) {
	f.Airline, _ = fare.ParseAirline(code)
	return f
}

// carried returns the site of OfMilBuh. Its departures are of Ryanair, Wizz Air and an unknown
// airline in turn.
func carried() analisitest.Site {
	s := analisitest.OfMilBuh()
	state := analisitest.DeparturesOf(60)
	for i := range state.Live {
		state.Live[i].Flight = airline([]string{"FR", "W6", ""}[i%3])
	}
	s.Sheets = analisitest.Sheets{{Route: analisitest.MilBuh}: state}
	return s
}

func TestAirlinesOfACalendar(t *testing.T) {
	h := carried().Open()
	type answer struct {
		verdict.Calendario
		Prezzo      verdict.Prezzo
		Detail      string
		Suggestions []string
		Errors      []struct{ Name string }
	}
	ask := func(t *testing.T, path, query string, status int) (got answer) {
		t.Helper()
		w := analisitest.Get(t, h, path+"?origine=Milano&destinazione=Bucarest"+query)
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != status {
			t.Fatalf("%s: %d %.600s %v", query, w.Code, w.Body, err)
		}
		return got
	}
	all := ask(t, "/v1/calendario", "", 200)
	if all.Vettori != nil || len(all.Giorni) != 61 {
		t.Errorf("without a limit: %+v, %d days", all.Vettori, len(all.Giorni))
	}
	for query, want := range map[string]struct {
		airlines string
		days     int
		limit    string
	}{
		"&vettore=FR":         {"FR", 21, `{"solo":[{"iata":"FR","nome":"Ryanair"}],"ignoti":20}`},
		"&airline=wizz%20air": {"W6", 20, ""},
		"&vettore=FR,W6":      {"FR W6", 41, ""},
		"&senzaVettore=ryanair": {"W6", 20,
			`{"senza":[{"iata":"FR","nome":"Ryanair"},{"iata":"RK","nome":"Ryanair UK"}],"ignoti":20}`},
		"&withoutAirline=U2":                       {"FR W6", 41, ""},
		"&vettore=FR&mese=2016-04":                 {"FR", 10, `{"solo":[{"iata":"FR","nome":"Ryanair"}],"ignoti":10}`},
		"&vettore=FR&campi=giorni.vettore,vettori": {"FR", 21, ""},
	} {
		got := ask(t, "/v1/calendario", query, 200)
		limit, _ := json.Marshal(got.Vettori)
		if len(got.Giorni) != want.days || want.limit != "" && string(limit) != want.limit {
			t.Errorf("%s: %d days, want %d; %s", query, len(got.Giorni), want.days, limit)
		}
		for _, g := range got.Giorni {
			if g.Vettore == nil || !strings.Contains(want.airlines, g.Vettore.Iata) {
				t.Errorf("%s: %s is of %+v", query, g.Partenza, g.Vettore)
			}
		}
	}
	april := ask(t, "/v1/calendario", "&vettore=FR&mese=2016-04", 200)
	cheapest := fare.Cents(1 << 40)
	for _, g := range april.Giorni {
		cheapest = min(cheapest, *g.Cent)
	}
	if m := april.Mesi[0]; m.MinimoCent != cheapest || m.Giorni != 10 || m.Percentile == nil {
		t.Errorf("%+v, the cheapest is %d", m, cheapest)
	}
	if a := ask(t, "/v1/analisi", "&vettore=FR&mese=2016-04", 200); a.Prezzo.Cent != cheapest ||
		a.Prezzo.Vettore.Iata != "FR" {
		t.Errorf("of the month: %+v", a.Prezzo)
	}
	// A route is judged by the airline's cheapest fare that was found within 24 hours of its
	// newest.
	for _, code := range []string{"FR", "W6"} {
		cheapest := fare.Cents(1 << 40)
		for _, g := range all.Giorni {
			if g.Vettore != nil && g.Vettore.Iata == code {
				cheapest = min(cheapest, *g.Cent)
			}
		}
		a := ask(t, "/v1/analisi", "&vettore="+code, 200)
		if a.Prezzo.Cent != cheapest || a.Prezzo.Vettore.Iata != code || a.Vettori == nil {
			t.Errorf("%s: %+v, the cheapest is %d", code, a.Prezzo, cheapest)
		}
	}
	if got := ask(t, "/v1/calendario", "&vettore=U2", 404); !strings.Contains(got.Detail, "fare of easyJet from Milan") ||
		strings.Join(got.Suggestions, " ") != "FR W6" || !strings.Contains(got.Detail, "are of Ryanair, Wizz Air.") {
		t.Errorf("an airline without fares: %+v", got)
	}
	if got := ask(t, "/v1/analisi", "&senzaVettore=FR,W6", 404); !strings.Contains(got.Detail,
		"fare of other airlines than Ryanair, Wizz Air from") {
		t.Errorf("no other airlines: %s", got.Detail)
	}
	for query, want := range map[string]string{
		"&vettore=Rynar":                               "Ryanair",
		"&vettore=FR,Q9":                               "",
		"&senzaVettore=Zzzz":                           "",
		"&vettore=FR&senzaVettore=FR":                  "",
		"&vettore=FR&senzaVettore=W6":                  "",
		"&vettore=,":                                   "",
		"&vettore=FR&airline=FR":                       "",
		"&vettore=" + strings.Repeat("FR,", 10) + "FR": "",
	} {
		got := ask(t, "/v1/calendario", query, 400)
		if len(got.Errors) != 1 || strings.Split(strings.Join(got.Suggestions, ","), ",")[0] != want {
			t.Errorf("%s: %+v", query, got)
		}
	}
}

func TestAirlinesOfDeals(t *testing.T) {
	d := fare.DayOf(analisitest.Today)
	of := func(city fare.City, all ...string) deals.Entry {
		e := deals.Entry{Destination: city, AsOf: d, Observations: 40}
		for i, code := range all {
			deal := analisitest.Deal(verdict.Buono, 20+i, d+30, fare.Cents(2000+500*i), 5000, fare.NonStop, 5)
			deal.Fare.Flight = airline(code)
			if i == 0 {
				e.Any.Route = []deals.Deal{deal}
				deal.Fare.Depart = fare.Day(16892 + 9) // 2016-04-10
				e.Any.Months = []deals.Deal{deal}
			}
			if code != "" {
				e.Any.Airlines = append(e.Any.Airlines, deal)
			}
		}
		return e
	}
	old := of("MAD", "W6") // as an earlier version stored it
	old.Any.Airlines = nil
	h, _ := dealing(&analisitest.DealsOfMilan{Has: deals.Origin{}.Merge([]deals.Entry{
		of("BUH", "W6", "FR", "U2"), of("LON", "FR"), of("PAR", ""), of("ROM", "", "FR"), old})}, nil)
	for query, want := range map[string]string{
		"":                            "BUH 2000, LON 2000, MAD 2000, PAR 2000, ROM 2000",
		"&vettore=FR":                 "BUH 2500, LON 2000, ROM 2500; 1 unknown",
		"&vettore=U2,FR":              "BUH 2500, LON 2000, ROM 2500; 1 unknown",
		"&senzaVettore=Ryanair":       "BUH 2000, MAD 2000; 2 unknown",
		"&senzaVettore=W6,FR":         "BUH 3000; 2 unknown",
		"&vettore=W6&mese=2016-04":    "BUH 2000, MAD 2000; 2 unknown",
		"&vettore=FR&mese=2016-04":    "LON 2000; 2 unknown",
		"&vettore=FR&massimo=24":      "LON 2000; 1 unknown",
		"&vettore=LH":                 "; 2 unknown",
		"&vettore=FR&diretto=true":    "; 0 unknown",
		"&airline=FR&nonstop=false":   "BUH 2500, LON 2000, ROM 2500; 1 unknown",
		"&vettore=ryanair,wizz%20air": "BUH 2000, LON 2000, MAD 2000, ROM 2500; 1 unknown",
	} {
		w := analisitest.Get(t, h, "/v1/occasioni?origine=Milano"+query)
		var got published.Occasioni
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %s %v", query, w.Code, w.Body, err)
		}
		var all []string
		for _, o := range got.Occasioni {
			all = append(all, o.DestinazioneIata+" "+fmt.Sprint(int(o.Prezzo.Cent)))
		}
		slices.Sort(all)
		found := strings.Join(all, ", ")
		if got.Vettori != nil {
			found += fmt.Sprintf("; %d unknown", *got.Vettori.Ignoti)
		}
		if found != want {
			t.Errorf("%s: %s, want %s", query, found, want)
		}
	}
}

func TestAirlinesOnThePage(t *testing.T) {
	h := carried().Open()
	visit := func(query string, status int) string {
		t.Helper()
		w := analisitest.Get(t, h, "/?da=Milano&a=Bucarest&lang=en"+query)
		if w.Code != status {
			t.Fatalf("%s: %d", query, w.Code)
		}
		return html.UnescapeString(w.Body.String())
	}
	for query, wants := range map[string][]string{
		"&vettore=Ryanair": {"only Ryanair and Ryanair UK", `name="vettore" value="Ryanair"`,
			`name="airline" type="checkbox" value="FR,RK" checked`, "Only Ryanair and Ryanair UK</label>",
			`href="/?da=MIL&a=BUH&mese=2016-04&vettore=Ryanair&lang=en"`,
			`href="/?da=Bucharest&a=Milan&vettore=Ryanair&lang=en"`, `href="/?da=Milan&vettore=Ryanair&lang=en"`,
			`href="/?da=Milano&a=Bucarest&vettore=Ryanair&lang=it"`},
		"&vettore=Rayanair": {"only Ryanair", "We read “Rayanair” as Ryanair."},
		"&senzaVettore=FR&quando=2016-04-01": {"without Ryanair", `name="senzaVettore" value="FR"`,
			`name="withoutAirline" type="checkbox" value="FR" checked`},
	} {
		body := visit(query, 200)
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %s", query, want)
			}
		}
		if strings.Contains(body, "og:image\" content=\"/card") {
			t.Errorf("%s: the picture is about all airlines", query)
		}
	}
	for query, want := range map[string]string{
		"&vettore=Rynar":              "Write a name such as Ryanair or a code such as FR. Similar names: Ryanair.",
		"&senzaVettore=Zzzz":          "Write a name such as Ryanair or a code such as FR.",
		"&vettore=FR&senzaVettore=FR": "Give only one of the two.",
	} {
		if body := visit(query, 400); !strings.Contains(body, want) {
			t.Errorf("%s lacks %q", query, want)
		}
	}
	body := visit("&vettore=U2", 404)
	for _, want := range []string{"No current fare with these airlines.", "(only easyJet)", ">any airline</a>"} {
		if !strings.Contains(body, want) {
			t.Errorf("an airline without fares lacks %q", want)
		}
	}
	if body := visit("", 200); strings.Contains(body, `name="airline"`) || !strings.Contains(body, `id="vettore"`) {
		t.Error("without a choice the alert names airlines, or the form has no field")
	}
}
