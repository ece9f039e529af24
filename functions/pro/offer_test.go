package pro_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/functions/pro"
	"verdetto/shared/runtime/faulttest"
)

func TestThePriceComesFirst(t *testing.T) {
	s := parallel(t)
	stripe := s.Payments.Stripe
	stripe.Currency = "eur"
	look := func(want string) {
		t.Helper()
		page := s.Do("GET", "/v1/pro?lang=it", "", "Accept", "text/html")
		if has := strings.Contains(page.Page(), want); page.Status != 200 || !has ||
			strings.Contains(page.Page(), "alla cassa, prima") != strings.Contains(want, "alla cassa") {
			t.Errorf("not %q: %d %s", want, page.Status, page.Page())
		}
	}
	before := stripe.Calls()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { look("12,99 € al mese") })
	}
	wg.Wait()
	if calls := stripe.Calls() - before; calls != 1 {
		t.Errorf("20 readers cost %d calls", calls)
	}
	stripe.Amount = 1499
	s.Clock.Add(time.Hour - time.Second)
	look("12,99 € al mese")
	s.Clock.Add(time.Second)
	look("14,99 € al mese")

	faulttest.Break(stripe).Down(true)
	s.Clock.Add(time.Hour)
	look("Il prezzo lo vedi alla cassa")
	faulttest.Break(stripe).Down(false)
	look("Il prezzo lo vedi alla cassa")
	s.Clock.Add(30 * time.Second)
	look("14,99 € al mese")

	for name, spoil := range map[string]func(){
		"not sold any more": func() { stripe.Inactive = true },
		"a proxy's page":    func() { stripe.Inactive = false; faulttest.Break(stripe).Fail(faulttest.Garbled("<html>")) },
		"another object": func() {
			faulttest.Break(stripe).Fail(faulttest.Garbled(`{"object":"price","id":"price_other","unit_amount":1}`))
		},
	} {
		spoil()
		s.Clock.Add(time.Hour)
		look("Il prezzo lo vedi alla cassa")
		if a := s.Do("GET", "/v1/pro", ""); a.Status != 200 || strings.Contains(a.Body, `"card"`) ||
			!strings.Contains(a.Body, `"usdc":{"amount":"12.99","days":30}`) {
			t.Errorf("%s, to a program: %d %s", name, a.Status, a.Body)
		}
		stripe.Inactive = false
	}
}

func TestAboutPages(t *testing.T) {
	s := parallel(t)
	paths := []string{"/v1/termini", "/v1/privacy", "/v1/contatti", "/v1/note-legali"}
	for _, path := range paths {
		a := s.Do("GET", path+"?lang=en", "")
		if a.Status != 200 || !strings.Contains(a.Page(), "The operator of this service has not given all") ||
			!strings.Contains(a.Page(), "(not given)") {
			t.Errorf("%s: %d %s", path, a.Status, a.Page())
		}
	}
	s.Pro.Operator = pro.Operator{Name: "Ada & Figlie", Address: "Via Roma 1, Milano", Email: "aiuto@verdetto.example",
		Phone: "+39 02 1", Number: "IT01", Law: "Italia"}
	for _, path := range paths {
		for lang, missing := range map[string]string{"it": "non ha indicato", "en": "not given"} {
			a := s.Do("GET", path+"?lang="+lang, "")
			if a.Status != 200 || strings.Contains(a.Page(), missing) ||
				!strings.Contains(a.Page(), "aiuto@verdetto.example") ||
				!strings.Contains(a.Body, `<html lang="`+lang+`"`) {
				t.Errorf("%s in %s: %d %s", path, lang, a.Status, a.Page())
			}
		}
	}
	if a := s.Do("GET", "/v1/note-legali", ""); !strings.Contains(a.Body, "Ada &amp; Figlie") {
		t.Errorf("not escaped: %s", a.Body)
	}
}
