package x402_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/routes"
)

const (
	verdict  = "/x402/v1/analisi?origine=Milano&destinazione=Bucarest"
	another  = verdict + "&prezzo=45"
	calendar = "/x402/v1/calendario?origine=Milano&destinazione=Bucarest"
	deals    = "/x402/v1/occasioni?origine=Milano"
)

var price = routes.Named("x402-analisi").Price

func want(t *testing.T, w *httptest.ResponseRecorder, status int, problem string, what ...any) {
	t.Helper()
	if w.Code != status || problem != "" && code(w) != problem {
		t.Errorf("%s: %d %s, want %d %s", fmt.Sprint(what...), w.Code, w.Body, status, problem)
	}
}

func must(t *testing.T, w *httptest.ResponseRecorder, status int, problem string, what ...any) {
	t.Helper()
	if w.Code != status || problem != "" && code(w) != problem {
		t.Fatalf("%s: %d %s, want %d %s", fmt.Sprint(what...), w.Code, w.Body, status, problem)
	}
}

func failing(err error, steps ...string) func(string) error {
	return func(step string) error {
		if slices.Contains(steps, step) {
			return err
		}
		return nil
	}
}

func today() *storetest.Clock {
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	return clock
}

func open(t *testing.T) (*fixture.PerCall, *storetest.Clock, *storetest.Faulty) {
	t.Helper()
	clock := today()
	table := fixture.Bolt(t, clock.Now)
	fixture.Refreshed(t, table, fixture.Falling(fare.DayOf(clock.Now())), clock.Now)
	faulty := storetest.NewFaulty(table)
	return fixture.OpenPerCall(t, faulty, clock.Now), clock, faulty
}

func header[T any](t *testing.T, w *httptest.ResponseRecorder, name string) (value T) {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(w.Header().Get(name))
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		t.Fatalf("%s of %d %s: %v", name, w.Code, w.Body, err)
	}
	return value
}

func code(w *httptest.ResponseRecorder) string {
	var p struct{ Code string }
	_ = json.Unmarshal(w.Body.Bytes(), &p)
	return p.Code
}

func TestShownManyTimesAtOnce(t *testing.T) {
	t.Parallel()
	for name, target := range map[string]func(i int) string{
		"for the same call": func(int) string { return verdict },
		"for different calls": func(i int) string {
			return another[:len(another)-2] + string(rune('1'+i%9)) +
				string(rune('0'+i/9%10))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, _, _ := open(t)
			payment := p.Payment("ada", price, 1)
			var all sync.WaitGroup
			answers := make([]*httptest.ResponseRecorder, 100)
			for i := range answers {
				all.Go(func() { answers[i] = p.Ask(target(i), payment) })
			}
			all.Wait()
			given := map[string]int{}
			for i, w := range answers {
				if w.Code == 200 {
					given[target(i)]++
				} else if w.Code != 402 && w.Code != 429 && w.Code != 503 {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			}
			if len(given) != 1 || p.Chain.Got != price {
				t.Errorf("%v for %d units", given, p.Chain.Got)
			}
			for _, n := range given {
				if n > 4 { // a payment buys one answer and three replays
					t.Errorf("given %d times", n)
				}
			}
		})
	}
}

func TestPagesMayPay(t *testing.T) {
	t.Parallel()
	p, _, _ := open(t)
	r := httptest.NewRequest("OPTIONS", verdict, nil)
	r.Header.Set("Access-Control-Request-Method", "GET")
	r.Header.Set("Access-Control-Request-Headers", "payment-signature")
	w := httptest.NewRecorder()
	p.Handler.ServeHTTP(w, r)
	if !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), x402pay.SignatureHeader) {
		t.Errorf("%v", w.Header())
	}
}
