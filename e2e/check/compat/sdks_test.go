// Package compat tests functions/compat, the API for programs written for Amadeus, with the
// published Amadeus SDKs.
package compat

import (
	"bufio"
	"bytes"
	order "cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/sample"
)

type outcome struct {
	Metrics, Returns    [][2]string // pairs of ranking and amount
	Dates, Stays        [][3]string // triples of departure, return and price
	Destinations        [][3]string // triples of destination, departure and price
	Journeys            [][4]string // destination, departure, return and price of return trips
	Pages               [][][3]string
	Previous            [][3]string
	First, Last         [][3]string
	Errors              map[string]string
	AfterTheKeyWasEnded string `json:"-"`
}

const day = "2016-04-20"

func driven(t *testing.T, listen func(http.Handler) *httptest.Server,
	program func(s *httptest.Server, port, key, word string) *exec.Cmd) {
	t.Helper()
	clock := func() time.Time { return fixture.Today }
	table := fixture.Bolt(t, clock)
	r := refresh.Refresher{Source: sample.New(), Fares: store.Fares{Table: table}, Now: clock, Workers: 1,
		Rates: ecb.Table().RatesOn(fare.DayOf(fixture.Today))}
	if report, err := r.Run(t.Context(), "MIL"); err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	handler := fixture.Described(t, fixture.New(t,
		onemachine.Options{Table: table, Source: sample.New(), Now: clock}).API)
	server := listen(handler)
	t.Cleanup(server.Close)
	key := fixture.IssueKey(t, table, "ada@example.com", fixture.Today, 24*time.Hour)

	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	command := program(server, at.Port(), key, "free")
	var complaints bytes.Buffer
	command.Stderr = &complaints
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	line := func(into any) {
		t.Helper()
		text, err := lines.ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			_ = command.Wait()
			t.Fatalf("%v %s\n%s", err, text, &complaints)
		}
	}
	var got outcome
	line(&got)
	// Issuing a new key makes the customer's previous key invalid.
	fixture.IssueKey(t, table, "ada@example.com", fixture.Today, 24*time.Hour)
	fmt.Fprintln(stdin)
	line(&got.AfterTheKeyWasEnded)
	if err := command.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &complaints)
	}

	want := expected(t, handler)
	want.AfterTheKeyWasEnded = class(got.Errors["secret"]) + " 401 38193 "
	want.Errors = map[string]string{}
	for name, e := range refusals {
		want.Errors[name] = class(got.Errors[name]) + " " + e.rest
		if !strings.HasPrefix(class(got.Errors[name]), e.class) {
			t.Errorf("%s is reported as %s, want %s", name, class(got.Errors[name]), e.class)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-our API +SDK):\n%s", diff)
	}
	if len(got.Dates) < 200 || len(got.Pages) != 4 || len(got.Destinations) < 20 || len(got.Journeys) < 5 ||
		len(got.Metrics) != 5 || cmp.Equal(got.Metrics, got.Returns) {
		t.Errorf("hardly anything was read: %d dates on %d pages, %d destinations, %v and %v", len(got.Dates),
			len(got.Pages), len(got.Destinations), got.Metrics, got.Returns)
	}
	t.Logf("%d dates, %d of returns, %d destinations, %d of returns, %d pages, %d errors", len(got.Dates),
		len(got.Stays), len(got.Destinations), len(got.Journeys), len(got.Pages), len(got.Errors)+1)
}

func class(message string) string { name, _, _ := strings.Cut(message, " "); return name }

var refusals = map[string]struct{ class, rest string }{
	"missing":     {"Client", "400 32171 departureDate"},
	"format":      {"Client", "400 477 origin"},
	"option":      {"Client", "400 572 currencyCode"},
	"combination": {"Client", "400 2668 duration"},
	"past":        {"Client", "400 4926 departureDate"},
	"nothing":     {"NotFound", "404 6003 "},
	"offers":      {"Server", "501 38196 "},
	"seats":       {"Server", "501 38196 "},
	"order":       {"Server", "501 38196 "},
	"secret":      {"Authentication", "401 38187 invalid_client"},
	"over":        {"Client", "429 38194 "},
}

func expected(t *testing.T, handler http.Handler) (want outcome) {
	t.Helper()
	n := 0
	ask := func(target string, into any) {
		t.Helper()
		r := httptest.NewRequest("GET", target, nil)
		n++
		r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", n)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil || w.Code != 200 {
			t.Fatalf("%s: %d %v %s", target, w.Code, err, w.Body)
		}
	}
	amount := func(c fare.Cents) string { return fmt.Sprintf("%d.%02d", c/100, c%100) }
	figures := func(more string) [][2]string {
		var a struct {
			Quartili struct{ MinimoCent, Q1Cent, MedianaCent, Q3Cent, MassimoCent fare.Cents }
		}
		ask("/v1/analisi?origine=Milano&destinazione=Londra&prezzo=45&partenza="+day+more, &a)
		q := a.Quartili
		return [][2]string{{"MINIMUM", amount(q.MinimoCent)}, {"FIRST", amount(q.Q1Cent)},
			{"MEDIUM", amount(q.MedianaCent)}, {"THIRD", amount(q.Q3Cent)}, {"MAXIMUM", amount(q.MassimoCent)}}
	}
	type days struct {
		Giorni []struct {
			Partenza, Ritorno string
			Cent              fare.Cents
		}
	}
	want.Metrics, want.Returns = figures(""), figures("&notti=4-7")
	var oneWay days
	ask("/v1/calendario?origine=Milano&destinazione=Londra", &oneWay)
	for _, g := range oneWay.Giorni {
		want.Dates = append(want.Dates, [3]string{g.Partenza, "", amount(g.Cent)})
	}
	byDay := map[string][][3]string{}
	for _, stay := range []string{"1-3", "4-7", "8-14"} {
		var d days
		ask("/v1/calendario?origine=Milano&destinazione=Londra&notti="+stay, &d)
		for _, g := range d.Giorni {
			from, err1 := fare.ParseDay(g.Partenza)
			back, err2 := fare.ParseDay(g.Ritorno)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if nights := back - from; nights >= 2 && nights <= 8 {
				byDay[g.Partenza] = append(byDay[g.Partenza], [3]string{g.Partenza, g.Ritorno, amount(g.Cent)})
			}
		}
	}
	for d := fare.DayOf(fixture.Today); d < fare.DayOf(fixture.Today)+400; d++ {
		want.Stays = append(want.Stays, byDay[d.String()]...)
	}
	type deals struct {
		Occasioni []struct {
			DestinazioneIata string
			Prezzo           struct {
				Partenza, Ritorno string
				Cent              fare.Cents
			}
		}
	}
	var cheap, journeys deals
	ask("/v1/occasioni?origine=Milano", &cheap)
	ask("/v1/occasioni?origine=Milano&notti=4-7", &journeys)
	for _, o := range journeys.Occasioni {
		want.Journeys = append(want.Journeys,
			[4]string{o.DestinazioneIata, o.Prezzo.Partenza, o.Prezzo.Ritorno, amount(o.Prezzo.Cent)})
	}
	slices.SortFunc(want.Journeys, func(a, b [4]string) int {
		return order.Or(len(a[3])-len(b[3]), strings.Compare(a[3], b[3]), strings.Compare(a[1], b[1]),
			strings.Compare(a[0], b[0]))
	})
	for _, o := range cheap.Occasioni {
		want.Destinations = append(want.Destinations,
			[3]string{o.DestinazioneIata, o.Prezzo.Partenza, amount(o.Prezzo.Cent)})
	}
	// Of two prices with two decimals, the longer text is the higher price.
	slices.SortFunc(want.Destinations, func(a, b [3]string) int {
		return order.Or(len(a[2])-len(b[2]), strings.Compare(a[2], b[2]), strings.Compare(a[1], b[1]),
			strings.Compare(a[0], b[0]))
	})
	for i := 0; i < len(want.Dates); i += 100 {
		want.Pages = append(want.Pages, want.Dates[i:min(i+100, len(want.Dates))])
	}
	last := len(want.Pages) - 1
	want.First, want.Previous, want.Last = want.Pages[0], want.Pages[last-1], want.Pages[last]
	return want
}
