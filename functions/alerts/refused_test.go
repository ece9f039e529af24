package alerts_test

import (
	"net/url"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/text/i18n"
)

// A refused form names no field of the API.
func TestFormIsCorrected(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	p := fixture.OpenSubscriptions(t, fixture.Bolt(t, clock.Now), clock)
	day := func(ahead fare.Day) string { return (fare.DayOf(clock.Now()) + ahead).String() }
	for _, c := range []struct{ language, fields, want string }{
		{"de", "frequency=weekly&departure=" + day(3),
			`checked aria-invalid="true" aria-describedby="frequency-fault">` +
				` <label for="frequency" class="inline">Einmal pro Woche, in einer E-Mail</label>`},
		{"de", "frequency=weekly&departure=" + day(3), "Ohne den Haken schreiben wir sofort."},
		{"it", "kind=paid&paid=90&threshold=80&departure=" + day(9),
			"Il prezzo massimo e quanto hai pagato non vanno insieme"},
		{"it", "paid=90&threshold=80&departure=" + day(9), "Il prezzo massimo e quanto hai pagato non vanno insieme"},
		{"it", "kind=change&threshold=80", "Vale solo con «diventa conveniente»"},
		{"it", "kind=paid&paid=90&threshold=80&departure=" + day(9),
			`<label for="threshold">Prezzo massimo (€)</label>`},
		{"it", "kind=paid&paid=90&threshold=80&departure=" + day(9),
			`<input id="paid" name="paid" type="text" value="90"`},
		{"it", "kind=paid&paid=90&threshold=80&departure=" + day(9), `<option value="paid" selected>`},
		{"it", "kind=paid&paid=90&threshold=80&departure=" + day(9), "<p class=\"route\">Milano–Bucarest, partenza: "},
		{"en", "departure=" + day(0) + ".." + day(1), "<p class=\"route\">Milan–Bucharest, departure: from "},
		{"en", "departure=" + day(0), `aria-invalid="true" aria-describedby="departure-fault"`},
		{"en", "departure=" + day(0), `value="` + day(0) + `" min="` + day(2) + `"`},
		{"en", "departure=" + day(1), "that is too late for this flight."},
		{"en", "departure=" + day(0), `<label for="departure">Departure</label><input id="departure" name="departure" type="date"`},
		{"en", "kind=drop&percent=10&amount=5", "Give only one of the two."},
		{"en", "kind=drop&percent=x", `<label for="percent">`},
		{"en", "currency=USD&threshold=-1", `<label for="threshold">Maximum fare (USD)</label>`},
		{"en", "nights=5", "load the page of the flight again"},
	} {
		w := p.Do("POST", "/api/v1/alerts", "route=MIL-BUH&email=ada@example.com&"+c.fields, "Content-Type",
			fixture.Form,
			"Accept", "text/html", "Accept-Language", c.language)
		if w.Status != 400 || !strings.Contains(w.Body, c.want) ||
			!strings.Contains(w.Body, `name="email" value="ada@example.com"`) && c.fields != "nights=5" {
			t.Errorf("%s: %d, want %q in\n%s", c.fields, w.Status, c.want, w.Body)
		}
		for _, raw := range []string{"kind=", "Das Feld", "Il campo"} {
			if strings.Contains(w.Body, raw) {
				t.Errorf("%s: the page names a raw field: %s", c.fields, raw)
			}
		}
	}
}

// The mail to confirm states the amount in dollars. Yen have no decimals.
func TestAmountInDollars(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := fixture.Bolt(t, clock.Now)
	p := fixture.OpenSubscriptions(t, table, clock)
	send := func(fields string) fixture.Reply {
		return p.Do("POST", "/api/v1/alerts", url.Values{"route": {"MIL-BUH"},
			"email": {"ada@example.com"}}.Encode()+"&"+fields,
			"Content-Type", fixture.Form, "Accept-Language", "en")
	}
	if w := send("threshold=50&currency=USD"); w.Status != 400 || w.Errors[0].Name != "currency" {
		t.Errorf("without a rate: %+v", w)
	}
	rates := fare.Rates{Date: fare.DayOf(clock.Now()), PerEuro: map[string]float64{"USD": 1.25, "JPY": 160}}
	if err := (store.Fares{Table: table}).SetRates(t.Context(), rates); err != nil {
		t.Fatal(err)
	}
	for fields, field := range map[string]string{"threshold=50&currency=XXX": "currency",
		"threshold=1000000&currency=USD": "threshold", "threshold=0.001&currency=USD": "threshold"} {
		if w := send(fields); w.Status != 400 || w.Errors[0].Name != field {
			t.Errorf("%s: %+v", fields, w)
		}
	}
	if w := send("threshold=5000.50&currency=JPY"); w.Status != 400 ||
		w.Errors[0].Detail != "has decimals, and JPY has none: give a whole amount" {
		t.Errorf("yen with decimals: %+v", w)
	}
	if w := send(url.Values{"threshold": {"$50"}}.Encode()); w.Status != 202 {
		t.Fatalf("%+v", w)
	}
	p.Drain()
	mails, err := maildir.Read(p.Mails)
	if err != nil || len(mails) != 1 || !strings.Contains(mails[0].Text, "50.00\u00a0USD") {
		t.Fatalf("the mail does not state the amount: %+v", mails)
	}
}

// The list of alerts shows and takes the amounts of an alert in its own currency. An alert that states
// no amount keeps the currency in which it was asked for.
func TestCurrencyIsKept(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := fixture.Bolt(t, clock.Now)
	p := fixture.OpenSubscriptions(t, table, clock)
	rates := fare.Rates{Date: fare.DayOf(clock.Now()), PerEuro: map[string]float64{"JPY": 160}}
	if err := (store.Fares{Table: table}).SetRates(t.Context(), rates); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, asked, changed, shown string // what is asked, the change, and the amount that the page then shows
		want                        store.Alert
	}{
		{"a maximum", "threshold=8000", "threshold=12000", `value="12,000"`,
			store.Alert{Threshold: 7500, Currency: "JPY", Stated: 1200000}},
		{"a maximum that is left out", "threshold=8000", "threshold=", `value=""`, store.Alert{Currency: "JPY", Rate: 160}},
		{"a drop by a share", "kind=drop&percent=10", "percent=20", `value="20"`, store.Alert{Currency: "JPY", Rate: 160}},
		{"by the verdict", "", "threshold=4000", `value="4,000"`,
			store.Alert{Threshold: 2500, Currency: "JPY", Stated: 400000}},
	} {
		email := strings.ReplaceAll(c.name, " ", "") + "@example.com"
		w := p.Do("POST", "/api/v1/alerts", "route=MIL-BUH&currency=JPY&email="+email+"&"+c.asked, "Content-Type", fixture.Form)
		p.Drain()
		mails := p.Received(email)
		if w.Status != 202 || len(mails) != 1 {
			t.Fatalf("%s: %+v, %d mails", c.name, w, len(mails))
		}
		p.Do("POST", p.Link(mails[0]), "")
		stored, err := p.Alerts.Alerts.BySubscriber(t.Context(), fixture.Subscriber(email))
		if err != nil || len(stored) != 1 || stored[0].Currency != "JPY" || !strings.HasSuffix(notify.LanguageOf(stored[0]).Amount(5000), "\u00a0JPY") {
			t.Fatalf("%s: %+v %v", c.name, stored, err)
		}
		ref := stored[0].Ref()
		list := p.Do("GET", p.ManageLink(email), "", "Accept-Language", "en")
		if c.asked == "threshold=8000" && (!strings.Contains(list.Body, `value="8,000"`) || !strings.Contains(list.Body, "(JPY)")) {
			t.Errorf("%s: the list does not show the amount in yen: %s", c.name, list.Body)
		}
		list = p.Form(p.ManageLink(email), "change="+ref.String()+"&"+c.changed, "Accept-Language", "en")
		got, err := p.Alerts.Alerts.One(t.Context(), ref, fixture.Subscriber(email))
		if err != nil || list.Status != 200 || !strings.Contains(list.Body, c.shown) || got.Threshold != c.want.Threshold ||
			got.Currency != c.want.Currency || got.Stated != c.want.Stated || got.Rate != c.want.Rate {
			t.Errorf("%s: changed to %+v %v, page %d %s", c.name, got, err, list.Status, list.Body)
		}
	}
}

func TestFormAmounts(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	p := fixture.OpenSubscriptions(t, fixture.Bolt(t, clock.Now), clock)
	for typed, status := range map[string]int{"45 €": 202, "€45,50": 202, "1.234,50": 202, "45": 202, "0": 400,
		"cheap": 400, "-45": 400, "45 XQQ": 400, "45 USD": 400 /* no rate is known */} {
		w := p.Do("POST", "/api/v1/alerts", url.Values{"route": {"MIL-BUH"}, "email": {"ada@example.com"},
			"threshold": {typed}}.Encode(), "Content-Type", fixture.Form, "Accept", "text/html")
		if w.Status != status {
			t.Errorf("%q: %d, want %d\n%s", typed, w.Status, status, w.Body)
		}
	}
}

// The language in the link of the form is also that of the mail and of the page that confirms. A
// drop without a size is a drop by 10 %.
func TestFormIsAnsweredInItsLanguage(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	p := fixture.OpenSubscriptions(t, fixture.Bolt(t, clock.Now), clock)
	w := p.Do("POST", "/api/v1/alerts?lang=de", "route=MIL-BUH&email=ada@example.com&kind=drop",
		"Content-Type", fixture.Form, "Accept", "text/html", "Accept-Language", "it")
	german := i18n.ForCode("de")
	first := german.WeekdayDate(store.FirstCheck(fare.DayOf(clock.Now())))
	for _, want := range []string{`lang="de"`, "Mailand–Bukarest", "um mindestens <strong>10 %</strong>", first,
		`href="/?da=MIL&amp;a=BUH&amp;lang=de"`} {
		if w.Status != 202 || !strings.Contains(w.Body, want) {
			t.Errorf("%d, want %q in\n%s", w.Status, want, w.Body)
		}
	}
	p.Drain()
	mails, err := maildir.Read(p.Mails)
	if err != nil || len(mails) != 1 || !strings.Contains(mails[0].Text, "Mailand–Bukarest") {
		t.Fatalf("the mail is not in German: %+v %v", mails, err)
	}
	w = p.Do("GET", p.Link(mails[0]), "", "Accept-Language", "it")
	for _, want := range []string{`lang="de"`, "Mailand–Bukarest", first, "a=BUH&amp;lang=de"} {
		if w.Status != 200 || !strings.Contains(w.Body, want) {
			t.Errorf("%d, want %q in\n%s", w.Status, want, w.Body)
		}
	}
	w = p.Do("POST", "/api/v1/alerts?lang=fr", "route=MIL-BUH&email=", "Content-Type", fixture.Form, "Accept",
		"text/html", "Accept-Language", "it")
	if w.Status != 400 || !strings.Contains(w.Body, `action="/v1/alerts?lang=fr"`) {
		t.Errorf("%d: a refused form forgets its language:\n%s", w.Status, w.Body)
	}
}
