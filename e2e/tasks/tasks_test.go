// Package tasks holds an end-to-end test of 20 questions (tasks) of travellers. It answers each
// task by one call of the API, by one call of a tool for AI agents, and on the page. It also writes
// e2e/tasks/tasks.md, which lists the tasks and results.
package tasks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/answer/view"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/verdict"
)

var update = flag.Bool("update", false, "write e2e/tasks/tasks.md anew")

// answer holds the fields of the answers of all endpoints that the tasks use.
type answer struct {
	published.Analysis
	Giorni    []published.Giorno
	Mesi      []published.MeseInCalendario
	Occasioni []published.Occasione
	Partenza  *published.Movimento
	Settimane []published.Settimana
	published.Confronto
	published.Routes
	Destinations []view.Destination
}

// says returns the result of a task from an answer, or "" if it has none.
type task struct {
	wants           string
	path            string // of the API
	tool, arguments string
	pages           []string // visited in turn by forms and links
	says            func(a answer) string
	// pageSays returns what each page must show, by default the verdict and its price.
	pageSays func(a answer, page int) []string
}

func day(g published.Giorno) string {
	return fmt.Sprintf("%s at %d cents, %s", g.Partenza, *g.Cent, g.Livello)
}

func level(a answer) string {
	if a.Verdetto.Percentile == nil || a.Verdetto.Affidabilita == "" {
		return ""
	}
	return fmt.Sprintf("%d cents is %s, certainty %s", a.Prezzo.Cent, a.Verdetto.Livello, a.Verdetto.Affidabilita)
}

// when returns "" if the verdict has another scope, or if the day is not between from and to.
func when(scope, from, to string) func(a answer) string {
	return func(a answer) string {
		if a.Ambito != scope || a.Prezzo.Partenza < from || a.Prezzo.Partenza > to {
			return ""
		}
		return level(a) + ", departing on " + a.Prezzo.Partenza
	}
}

// cheapest finds the cheapest day of a calendar for which fits is true.
func cheapest(fits func(published.Giorno, time.Time) bool) func(a answer) string {
	return func(a answer) string {
		var best *published.Giorno
		for i, g := range a.Giorni {
			d, err := time.Parse(time.DateOnly, g.Partenza)
			if err == nil && g.Cent != nil && fits(g, d) && (best == nil || *g.Cent < *best.Cent) {
				best = &a.Giorni[i]
			}
		}
		if best == nil {
			return ""
		}
		return day(*best)
	}
}

// deals returns "" if fits is false for one of the destinations.
func deals(fits func(published.Occasione) bool) func(a answer) string {
	return func(a answer) string {
		var all []string
		for _, o := range a.Occasioni {
			if !fits(o) {
				return ""
			}
			all = append(all, fmt.Sprintf("%s at %d cents on %s, %s", o.DestinazioneIata, o.Prezzo.Cent,
				o.Prezzo.Partenza, o.Verdetto.Livello))
		}
		return strings.Join(all[:min(3, len(all))], "; ")
	}
}

// best returns "" if a trip has no verdict.
func best(a answer) string {
	if len(a.Viaggi) == 0 || len(a.Migliori) != len(a.Viaggi) || a.Contati != a.Chiesti {
		return ""
	}
	v := a.Viaggi[a.Migliori[0]]
	return fmt.Sprintf("%s %s%s at %d cents, %s", v.Analisi.DestinazioneIata, v.Partenza, v.Mese, v.Analisi.Prezzo.Cent,
		v.Analisi.Verdetto.Livello)
}

// atOnceChars is how many characters of a text an agent reads before it decides to read on.
const atOnceChars = 300

var amount = regexp.MustCompile(`(\d+)(\d\d) cents`)

// early reports whether the first amount of said is among the first characters of a text.
func early(text, said string) bool {
	m := amount.FindStringSubmatch(said)
	first := []rune(text)
	first = first[:min(atOnceChars, len(first))]
	return m != nil && (strings.Contains(string(first), m[1]+"."+m[2]) ||
		m[2] == "00" && strings.Contains(string(first), "€"+m[1]))
}

func euro(c fare.Cents) string {
	if c%100 == 0 {
		return fmt.Sprintf("%d\u00a0€", c/100)
	}
	return fmt.Sprintf("%d,%02d\u00a0€", c/100, c%100)
}

func ofVerdict(a published.Analysis) []string {
	return []string{`class="verdict ` + cmp.Or(a.Level, a.Verdetto.Livello) + `"`, euro(a.Prezzo.Cent)}
}

func ofTrip(a answer, page int) []string { return ofVerdict(*a.Viaggi[page].Analisi) }

func anyDay(published.Giorno, time.Time) bool { return true }

// The service has invented fares, and its clock shows 1 March 2016, a Tuesday.
var tasks = []task{
	{"Is today's cheapest fare from Milan to London cheap?", "/v1/analisi?origine=Milano&destinazione=Londra",
		"flight_price_verdict", `{"origin":"Milan","destination":"London"}`,
		[]string{"/?da=Milano&a=Londra"}, level, nil},
	{"Is 45 EUR good for Milan to Bucharest on 20 April?",
		"/v1/analisi?origine=Milano&destinazione=Bucarest&partenza=2016-04-20&prezzo=45",
		"flight_price_verdict", `{"origin":"Milan","destination":"Bucharest","departure":"2016-04-20","price":45}`,
		[]string{"/?da=Milano&a=Bucarest&quando=2016-04-20&visto=45"},
		func(a answer) string {
			if !a.Prezzo.Dichiarato || a.Prezzo.Cent != 4500 || a.Prezzo.Partenza != "2016-04-20" {
				return ""
			}
			return level(a)
		}, nil},
	{"A weekend in April under 60 EUR from Naples to London, non-stop",
		"/v1/calendario?origine=Napoli&destinazione=Londra&mese=2016-04&diretto=true",
		"fare_calendar", `{"origin":"Naples","destination":"London","month":"2016-04","non_stop":true}`,
		[]string{"/?da=Napoli&a=Londra&mese=2016-04&diretto=si", "/?da=NAP&a=LON&quando=2016-04-09&diretto=si"},
		cheapest(func(g published.Giorno, d time.Time) bool {
			weekend := d.Weekday() == time.Friday || d.Weekday() == time.Saturday
			return weekend && *g.Cent <= 6000 && g.Soste != nil && *g.Soste == 0
		}), ofDay("2016-04-09", "/?da=NAP&a=LON&quando=2016-04-09&diretto=si")},
	{"Anywhere in April under 60 EUR from Naples, non-stop",
		"/v1/occasioni?origine=Napoli&mese=2016-04&massimo=60&diretto=true",
		"cheap_now", `{"origin":"Naples","month":"2016-04","max_price":60,"non_stop":true}`,
		[]string{"/?da=Napoli&mese=2016-04&massimo=60&diretto=si"},
		deals(func(o published.Occasione) bool {
			return o.Prezzo.Cent <= 6000 && *o.Prezzo.Soste == 0 && strings.HasPrefix(o.Prezzo.Partenza, "2016-04")
		}), ofDeals},
	{"Which day of April is the cheapest from Rome to Paris?",
		"/v1/calendario?origine=Roma&destinazione=Parigi&mese=2016-04",
		"fare_calendar", `{"origin":"Rome","destination":"Paris","month":"2016-04"}`,
		[]string{"/?da=Roma&a=Parigi&mese=2016-04"}, cheapest(anyDay),
		func(a answer, _ int) []string {
			day := slices.MinFunc(a.Giorni, func(a, b published.Giorno) int { return int(*a.Cent - *b.Cent) })
			return []string{`class="verdict ` + day.Livello + `"`, euro(a.Mesi[0].MinimoCent), "19 aprile 2016",
				calendarOf("2016-04", a.Giorni)}
		}},
	{"Which month is the cheapest from Milan to New York?", "/v1/analisi?origine=Milano&destinazione=New%20York",
		"flight_price_verdict", `{"origin":"Milan","destination":"New York"}`, []string{"/?da=Milano&a=New+York"},
		func(a answer) string {
			if len(a.MesiPerConvenienza) < 2 ||
				a.MesiPerConvenienza[0].MedianaCent > a.MesiPerConvenienza[1].MedianaCent {
				return ""
			}
			return fmt.Sprintf("%s, median %d cents", time.Month(a.MesiPerConvenienza[0].Mese),
				a.MesiPerConvenienza[0].MedianaCent)
		}, func(a answer, _ int) []string { return []string{`id="months"`, "febbraio è il meno caro"} }},
	{"How far ahead should one book Rome to London?", "/v1/analisi?origine=Roma&destinazione=Londra",
		"flight_price_verdict", `{"origin":"Rome","destination":"London"}`, []string{"/?da=Roma&a=Londra"},
		func(a answer) string {
			if a.AnticipoConsigliato == nil {
				return ""
			}
			return fmt.Sprintf("%d to %d days", a.AnticipoConsigliato.DaGiorni, a.AnticipoConsigliato.AGiorni)
		}, func(a answer, _ int) []string {
			return []string{`id="waits"`, "Di rado"}
		}},
	{"Where is it cheap to go from Rome now?", "/v1/occasioni?origine=Roma&livello=ottimo,buono",
		"cheap_now", `{"origin":"Rome","levels":"ottimo,buono"}`, []string{"/?da=Roma"},
		deals(func(o published.Occasione) bool {
			return o.Verdetto.Livello == string(verdict.Great) || o.Verdetto.Livello == string(verdict.Good)
		}), ofDeals},
	{"Milan to Barcelona from 12 to 17 April: is that return cheap?",
		"/v1/analisi?origine=Milano&destinazione=Barcellona&partenza=2016-04-12&ritorno=2016-04-17",
		"flight_price_verdict",
		`{"origin":"Milan","destination":"Barcelona","departure":"2016-04-12","return":"2016-04-17"}`,
		[]string{"/?da=Milano&a=Barcellona&quando=2016-04-12&ritorno=2016-04-17"},
		func(a answer) string {
			if a.Prezzo.Ritorno == "" {
				return ""
			}
			return when(string(verdict.OfDeparture), "2016-04-12", "2016-04-12")(a)
		}, nil},
	{"Will the fare from Milan to Madrid on 5 May fall: should one wait?",
		"/v1/analisi?origine=Milano&destinazione=Madrid&partenza=2016-05-05",
		"flight_price_verdict", `{"origin":"Milan","destination":"Madrid","departure":"2016-05-05"}`,
		[]string{"/?da=Milano&a=Madrid&quando=2016-05-05"},
		func(a answer) string {
			if len(a.Previsione) != 2 {
				return ""
			}
			return fmt.Sprintf("falls with chance %.2f within 14 days; waiting pays: %v", a.Previsione[1].Calo5,
				a.Previsione[1].Conviene)
		}, func(a answer, _ int) []string { return []string{`id="waits"`, euro(a.Prezzo.Cent)} }},
	{"How has the fare from Milan to Paris on 20 April moved?",
		"/v1/storico?origine=Milano&destinazione=Parigi&partenza=2016-04-20",
		"departure_history", `{"origin":"Milan","destination":"Paris","departure":"2016-04-20"}`,
		[]string{"/?da=Milano&a=Parigi&quando=2016-04-20"},
		func(a answer) string {
			if a.Partenza == nil || len(a.Partenza.Giorni) < 2 {
				return ""
			}
			last := a.Partenza.Giorni[len(a.Partenza.Giorni)-1]
			return fmt.Sprintf("seen on %d days, last at %d cents on %s", len(a.Partenza.Giorni),
				last.Cent, last.Giorno)
		}, ofMoves},
	{"Milan to London on Friday 15 or Saturday 16 April?",
		"/v1/confronto?origine=Milano&destinazioni=Londra&partenze=2016-04-15,2016-04-16",
		"compare_trips", `{"origin":"Milan","destinations":["London"],"departures":["2016-04-15","2016-04-16"]}`,
		[]string{"/?da=Milano&a=Londra&quando=2016-04-15", "/?da=Milano&a=Londra&quando=2016-04-16"}, best, ofTrip},
	{"Lisbon, Madrid or Athens in May from Milan?",
		"/v1/confronto?origine=Milano&destinazioni=Lisbona,Madrid,Atene&mesi=2016-05",
		"compare_trips", `{"origin":"Milan","destinations":["Lisbon","Madrid","Athens"],"months":["2016-05"]}`,
		[]string{"/?da=Milano&a=Lisbona&mese=2016-05", "/?da=Milano&a=Madrid&mese=2016-05",
			"/?da=Milano&a=Atene&mese=2016-05"}, best, ofTrip},
	{"Non-stop from Milan to New York in May",
		"/v1/analisi?origine=Milano&destinazione=New%20York&mese=2016-05&diretto=true",
		"flight_price_verdict", `{"origin":"Milan","destination":"New York","month":"2016-05","non_stop":true}`,
		[]string{"/?da=Milano&a=New+York&mese=2016-05&diretto=si"},
		func(a answer) string {
			if a.Prezzo.Soste == nil || *a.Prezzo.Soste != 0 {
				return ""
			}
			return when(string(verdict.OfMonth), "2016-05-01", "2016-05-31")(a)
		}, nil},
	{"Is London to New York cheap, in dollars?", "/v1/analisi?origine=Londra&destinazione=New%20York&valuta=USD",
		"flight_price_verdict", `{"origin":"London","destination":"New York","currency":"USD"}`,
		[]string{"/?da=Londra&a=New+York&valuta=USD"},
		func(a answer) string {
			if a.Valuta != "USD" {
				return ""
			}
			return level(a)
		}, func(a answer, _ int) []string {
			return []string{`class="verdict ` + cmp.Or(a.Level, a.Verdetto.Livello) + `"`, dateOf(a.Prezzo.Partenza)}
		}},
	{"Milan to Bucharest within three days of 20 April",
		"/v1/analisi?origine=Milano&destinazione=Bucarest&partenza=2016-04-20&flessibile=3",
		"flight_price_verdict",
		`{"origin":"Milan","destination":"Bucharest","departure":"2016-04-20","flexible_days":"3"}`,
		[]string{"/?da=Milano&a=Bucarest&quando=2016-04-20&flessibile=3"},
		when(string(verdict.OfDeparture), "2016-04-17", "2016-04-23"),
		func(a answer, _ int) []string {
			return []string{euro(a.Prezzo.Cent), dateOf(a.Prezzo.Partenza),
				`class="verdict ` + cmp.Or(a.Level, a.Verdetto.Livello) + `"`}
		}},
	{"Is Rome to Tokyo watched at all?", "/v1/rotte?origine=Roma&destinazione=Tokyo",
		"watched_routes", `{"origin":"Rome","destination":"Tokyo"}`, []string{"/?da=Roma&a=Tokyo"},
		func(a answer) string {
			if len(a.Rotte) != 1 || a.Rotte[0].Destinazione.Codice != "TYO" {
				return ""
			}
			return fmt.Sprintf("it is: %d days are known", a.Rotte[0].Campione)
		}, func(answer, int) []string { return []string{"Da Roma a Tokyo", `class="verdict `} }},
	{"Where do people fly from Naples, and how have fares moved?", "/v1/price-trends?origin=Napoli&currency=eur",
		"price_trends", `{"origin":"Naples"}`, []string{"/?da=Napoli"},
		func(a answer) string {
			if len(a.Destinations) < 5 || a.Destinations[0].Cheapest == nil || a.Destinations[0].Level == "" {
				return ""
			}
			return fmt.Sprintf("first %s, now %s", a.Destinations[0].City, a.Destinations[0].Level)
		}, func(a answer, _ int) []string { return []string{"Milano", `class="places"`} }},
	{"A few days in London from Milan in April, 4 to 7 nights",
		"/v1/calendario?origine=Milano&destinazione=Londra&mese=2016-04&notti=4-7",
		"fare_calendar", `{"origin":"Milan","destination":"London","month":"2016-04","nights":"4-7"}`,
		[]string{"/?da=Milano&a=Londra&quando=2016-04-15&ritorno=2016-04-20",
			"/?da=Milano&a=Londra&quando=2016-04-11&ritorno=2016-04-16"},
		cheapest(func(g published.Giorno, _ time.Time) bool { return g.Ritorno > g.Partenza }),
		ofDay("2016-04-11", "/?da=Milano&a=Londra&quando=2016-04-11&ritorno=2016-04-16")},
	{"From Bergamo to Bucharest", "/v1/analisi?origine=Bergamo&destinazione=Bucarest",
		"flight_price_verdict", `{"origin":"Bergamo","destination":"Bucharest"}`, []string{"/?da=Bergamo&a=Bucarest"},
		func(a answer) string {
			if a.Origine != "Bergamo" || a.OrigineIata != "MIL" || a.Tratta == nil || a.Tratta.Origine != "BGY" {
				return ""
			}
			return level(a) + ", of Bergamo alone; compared with: " + a.Tratta.Confronto
		}, func(a answer, _ int) []string {
			return []string{"Da Bergamo a Bucarest", euro(a.Prezzo.Cent)}
		}},
}

// tasks.md contains the conversations of these tasks.
var printed = []int{1, 3, 11, 12, 19}

func TestTasks(t *testing.T) {
	t.Parallel()
	clock := fixture.Today.AddDate(0, 0, -15) // so that outcomes after 14 days are known
	now := func() time.Time { return clock }
	table := fixture.Bolt(t, now)
	o := onemachine.Options{Table: table, Source: sample.New(), Now: now, Log: slog.New(slog.DiscardHandler),
		BaseURL: "https://verdetto.example"}
	for ; !clock.After(fixture.Today); clock = clock.AddDate(0, 0, 15) {
		if report, err := o.Refresh(t.Context(), nil, "MIL", "ROM", "NAP", "LON"); err != nil || report.Failed > 0 {
			t.Fatal(report, err)
		}
	}
	clock = fixture.Today
	api := fixture.New(t, o).API
	handler := fixture.Described(t, api)
	server := httptest.NewServer(api)
	defer server.Close()
	client := mcp.NewClient(&mcp.Implementation{Name: "tasks", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()

	var rows, transcript strings.Builder
	atOnce := 0 // tasks whose answer an agent reads in the first characters
	for i, c := range tasks {
		t.Run(c.wants, func(t *testing.T) {
			get := func(target string, statuses ...int) string {
				r := httptest.NewRequest("GET", target, nil)
				r.RemoteAddr = fmt.Sprintf("10.0.0.%d:1", i+1)
				r.Header.Set("Accept-Language", "it")
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if !slices.Contains(statuses, w.Code) {
					t.Fatalf("%s: %d %.400s", target, w.Code, w.Body)
				}
				return w.Body.String()
			}
			var byAPI, byAgent answer
			decode(t, []byte(get(c.path, 200)), &byAPI)
			said := c.says(byAPI)
			if said == "" {
				t.Fatalf("%s does not answer: %+v", c.path, byAPI)
			}
			text, structured := call(t.Context(), t, session, c)
			decode(t, structured, &byAgent)
			if got := c.says(byAgent); got != said {
				t.Errorf("an agent reads %q, a program %q", got, said)
			}
			if early(text, said) {
				atOnce++
			} else {
				t.Logf("not in the first %d characters: %s", atOnceChars, said)
			}
			var pages []string
			for n, address := range c.pages {
				want := ofVerdict(byAPI.Analysis)
				if c.pageSays != nil {
					want = c.pageSays(byAPI, n)
				}
				statuses := []int{200}
				if n < len(c.pages)-1 { // a day without a fare may link to a day with one
					statuses = append(statuses, 404)
				}
				body := linesOf(get(address, statuses...))
				for _, part := range want {
					if !strings.Contains(body, part) {
						t.Errorf("%s does not show %s", address, part)
					}
				}
				pages = append(pages, "`"+address+"`")
			}
			if len(c.pages) == 0 || len(c.pages) > 3 {
				t.Errorf("%d steps", len(c.pages))
			}
			fmt.Fprintf(&rows, "| %s | `%s` | `%s` | %s | %s |\n", c.wants, c.path, c.tool,
				strings.Join(pages, "<br>"), said)
			if slices.Contains(printed, i) {
				fmt.Fprintf(&transcript, "**%s**\n\n```text\n> %s %s\n\n%s\n```\n\n", c.wants,
					c.tool, c.arguments, text)
			}
		})
	}
	if atOnce < 15 {
		t.Errorf("the first %d characters answer %d tasks", atOnceChars, atOnce)
	}
	if !t.Failed() {
		fixture.Golden(t, fixture.Path(t, "e2e", "tasks", "tasks.md"), document(rows.String(), transcript.String()), *update)
	}
}

// call uses the official MCP client.
func call(ctx context.Context, t *testing.T, session *mcp.ClientSession, c task) (text string, structured []byte) {
	t.Helper()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.arguments)})
	if err != nil || result.IsError {
		t.Fatalf("%s %s: %v %+v", c.tool, c.arguments, err, result)
	}
	var said []string
	for _, part := range result.Content {
		if p, ok := part.(*mcp.TextContent); ok {
			said = append(said, p.Text)
		}
	}
	if structured, err = json.Marshal(result.StructuredContent); err != nil {
		t.Fatal(err)
	}
	return strings.Join(said, "\n"), structured
}

func decode(t *testing.T, body []byte, into *answer) {
	t.Helper()
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(into); err != nil {
		t.Fatalf("%v: %.300s", err, body)
	}
}
