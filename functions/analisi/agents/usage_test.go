package agents_test

import (
	"encoding/json"
	"strings"
	"testing"

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

func TestUsageOfWhatIsSold(t *testing.T) {
	d := open(t, knownRoutes(), "")
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
	for range 30 {
		d.call(t, "flight_price_verdict", milanoBucarest)
	}
	if _, text := d.usage(t); !strings.Contains(text, "GET /x402/v1/analisi with the same parameters, 0.01 USDC") ||
		strings.Contains(text, "/x402/v1/calendario") {
		t.Errorf("with none left: %q", text)
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
