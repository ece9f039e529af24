package agents_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/published"
	"verdetto/shared/store"
)

func (d *fixture) usage(t *testing.T, headers ...string) (u published.Consumo, text string) {
	t.Helper()
	answer, header := d.call(t, "usage", `{}`, headers...)
	if answer.IsError || header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%+v %v", answer, header)
	}
	if err := json.Unmarshal(answer.StructuredContent, &u); err != nil {
		t.Fatal(err)
	}
	return u, answer.Content[0].Text
}

func left(u published.Consumo) map[string]int64 {
	all := map[string]int64{}
	for _, l := range u.Limiti {
		all[l.Percorso] = l.Restano
	}
	return all
}

func TestUsage(t *testing.T) {
	d := open(t, knownRoutes(), "")
	ada, bob := []string{"X-Api-Key", d.customers.key(t, "ada@example.com", now.Add(48*time.Hour))},
		[]string{"X-Api-Key", d.customers.key(t, "bob@example.com", now.Add(time.Hour))}
	for caller, calls := range map[*[]string]int{{}: 3, &ada: 5, &bob: 7} {
		for range calls {
			d.call(t, "flight_price_verdict", milanoBucarest, *caller...)
		}
	}
	d.call(t, "compare_trips", `{"origin":"Milano","destinations":["Bucarest","Londra"]}`)
	free := map[string]int64{"/v1/analisi": 25, "/v1/calendario": 30, "/v1/vicini": 30, "/v1/occasioni": 30,
		"/feed/{file}": 300, "/v1/rotte": 100, "/v1/storico": 100, "/card/{file}": 300, "/v1/price-trends": 100}
	for range 3 {
		u, text := d.usage(t)
		if diff := cmp.Diff(free, left(u)); diff != "" || u.Piano != "free" || u.ContatoPer != "indirizzo" ||
			u.PianoFinoAl != nil || len(u.Pagamenti) != 0 {
			t.Errorf("without a key: %+v %s", u, diff)
		}
		if want := "/v1/analisi 25 of 30 until 2016-03-02 00:00:00"; !strings.Contains(text, want) ||
			!strings.Contains(text, "Without a key") {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	sold := map[string]string{}
	u, _ := d.usage(t)
	for _, l := range u.Limiti {
		if l.APagamento != nil {
			sold[l.Percorso] = l.APagamento.Path + " " + l.APagamento.Price
		}
	}
	if diff := cmp.Diff(map[string]string{"/v1/analisi": "/x402/v1/analisi 0.01",
		"/v1/calendario": "/x402/v1/calendario 0.02", "/v1/occasioni": "/x402/v1/occasioni 0.02"}, sold); diff != "" {
		t.Errorf("what is sold: %s", diff)
	}
	for range 25 {
		d.call(t, "flight_price_verdict", milanoBucarest)
	}
	if _, text := d.usage(t); !strings.Contains(text, "GET /x402/v1/analisi with the same parameters, 0.01 USDC") ||
		strings.Contains(text, "/x402/v1/calendario") {
		t.Errorf("with none left: %q", text)
	}
	u, text := d.usage(t, ada...)
	want := published.Limite{Percorso: "/v1/analisi", Chiamate: 120, Secondi: 60, Usate: 5, Restano: 115,
		Ricomincia: now.Add(time.Minute), UsateOggi: 5}
	if diff := cmp.Diff(want, u.Limiti[0]); diff != "" || u.Piano != "pro" || u.ContatoPer != "chiave" ||
		!u.PianoFinoAl.Equal(now.Add(48*time.Hour)) {
		t.Errorf("with a key: %+v %s", u, diff)
	}
	if diff := cmp.Diff([]published.Pagamento{{Mezzo: "operator", FinoAl: now.Add(48 * time.Hour)}},
		u.Pagamenti); diff != "" || !strings.Contains(text, "until 2016-03-03") {
		t.Errorf("%q %s", text, diff)
	}
	if w := d.send(t, "GET", "/v1/consumo", "", "X-Api-Key", "vd_nobody"); w.Code != 401 {
		t.Errorf("a key that is none: %d", w.Code)
	}
}

func TestUsageIsBounded(t *testing.T) {
	d := open(t, knownRoutes(), "")
	d.usage(t)
	if d.counters.reads != 9 || d.counters.writes != 1 {
		t.Errorf("%d reads, %d writes", d.counters.reads, d.counters.writes)
	}
	for range 59 {
		d.usage(t)
	}
	answer, _ := d.call(t, "usage", `{}`)
	if code := answer.code(t); code != "troppe-richieste" || d.counters.reads != 9*60 {
		t.Errorf("%s after %d reads", code, d.counters.reads)
	}
	if answer, _ := d.call(t, "flight_price_verdict", milanoBucarest); answer.IsError {
		t.Errorf("asking what is left has used up verdicts: %+v", answer)
	}
	d = open(t, knownRoutes(), "")
	d.counters.err = store.ErrUnavailable
	answer, _ = d.call(t, "usage", `{}`)
	if code := answer.code(t); code != "servizio-non-disponibile" {
		t.Error(code)
	}
}
