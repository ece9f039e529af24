package web

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/store"
)

func TestProveAlertOnATrip(t *testing.T) {
	b := openBrowser(t)
	for i, s := range apart[:2] {
		language := []string{"it", "en"}[i]
		say := map[string]map[string]string{
			"it": {"on": "Avviso attivo", "drop": "scende almeno del 15", "changed": "scende almeno del 20",
				"paused": "In pausa finché", "around": "partenza: da sabato 9 aprile 2016 a venerdì 15"},
			"en": {"on": "Your alert is on", "drop": "falls by 15%", "changed": "falls by 20%",
				"paused": "Paused until you", "around": "departure: from "},
		}[language]
		t.Run(s.name+"-"+language, func(t *testing.T) {
			v := openShop(t)
			w := b.open(t, s)
			w.name += "-alerts-" + language
			w.language(language)
			day := fare.DayOf(fixture.Today) + 42
			shown := func(names string) {
				t.Helper()
				if got := evaluate[string](w,
					`[...document.querySelectorAll('form.alert .field')].filter(f => f.checkVisibility()).map(f => f.querySelector('input, select').name).join(' ')`); got != names {
					t.Errorf("the form shows %s, want %s", got, names)
				}
			}
			choose := func(id, value string) {
				evaluate[bool](w,
					`(() => { const s = document.querySelector('#`+id+`'); s.value = '`+value+`'; return s.dispatchEvent(new Event('change', { bubbles: true })) })()`)
			}

			w.visit(v.base + "/?da=Milano&a=Bucarest&quando=" + day.String() + "&ritorno=" + (day + 6).String())
			w.wait(`document.querySelector('form.alert')`)
			w.do(click(".notify > summary"))
			shown("email threshold departure kind frequency nights")
			w.check("form")
			w.do(click(".programs summary"))
			shown("email threshold departure kind channel frequency nights")
			choose("channel", "webhook")
			choose("kind", "low")
			shown("email departure kind days channel address nights")
			w.check("form-low-webhook")
			choose("channel", "ntfy")
			choose("kind", "change")
			shown("departure kind channel address nights")
			choose("channel", "mail")
			choose("kind", "drop")
			shown("email departure kind percent amount channel frequency nights")
			choose("departs", (day-3).String()+".."+(day+3).String())
			w.do(typeIn("#email", "ada@example.com"), typeIn("#percent", "15"), typeIn("#amount", "5"),
				click("form.alert button"))
			// An alert on a drop is refused if it has both a percentage and an amount.
			w.wait(`document.querySelector('.status.bad') && document.querySelector('form.alert [aria-invalid]')`)
			w.check("form-refused")
			evaluate[string](w, `document.querySelector('#amount').value = ''`)
			w.do(click("form.alert button"))
			w.wait(`document.querySelector('.status.good') && !document.querySelector('[aria-invalid]')`)
			shown("email threshold departure kind channel frequency nights")
			w.check("form-drop-sent")

			w.visit(mailed(t, v.mails, regexp.MustCompile(regexp.QuoteMeta(v.base)+`/\S*alerts/confirm\S*`)))
			w.check("confirm")
			w.do(click("main form button"))
			w.wait(`document.querySelector('h1').textContent.startsWith('` + say["on"] + `')`)
			w.check("confirmed")
			v.others(t)
			w.do(click("main a"))
			w.wait(`document.querySelectorAll('.alerts li').length === 4`)
			text := func() string { return evaluate[string](w, `document.querySelector('main').textContent`) }
			if shown := text(); !strings.Contains(shown, say["drop"]) || !strings.Contains(shown, say["around"]) ||
				!strings.Contains(shown, "4–7") {
				t.Errorf("what was asked for is not listed: %s", shown)
			}
			evaluate[int](w, `[...document.querySelectorAll('details')].map(d => d.open = true).length`)
			w.check("alerts")
			w.do(chromedp.SetValue(chromedp.CSS("input[name=percent]"), "20"),
				click("li:has(input[name=percent]) button[name=change]"))
			w.wait(`document.querySelector('[role=status]')`)
			if shown := text(); !strings.Contains(shown, say["changed"]) {
				t.Errorf("it is not changed: %s", shown)
			}
			w.do(click("li:has(input[name=percent]) button[name=pause]"))
			w.wait(`document.querySelector('li:has(input[name=percent])').textContent.includes('` + say["paused"] +
				`')`)
			w.check("paused")
			w.do(click("li:has(input[name=percent]) button[name=resume]"))
			w.wait(`!document.querySelector('li:has(input[name=percent])').textContent.includes('` + say["paused"] +
				`')`)
			if kinds := evaluate[string](w,
				`fetch(document.querySelector('a[download]').href).then(r => r.json()).then(all => all.alerts.map(a => a.kind + ' ' + a.channel).join(', '))`); kinds != "drop mail, threshold mail, low mail, change webhook" {
				t.Errorf("taken along: %s", kinds)
			}
			// The browser logs answers with the status 400 or 404.
			w.quiet("the server responded with a status of 40")
		})
	}
}

func (v shop) others(t *testing.T) {
	t.Helper()
	today := fare.DayOf(fixture.Today)
	records := v.Alerts.Alerts
	for _, a := range []store.Alert{
		{Threshold: 4990},
		{Kind: store.Low, Days: 60, Trip: store.Trip{From: today, To: today + 30, Month: true, Nonstop: true},
			Since: today},
		{Kind: store.Change, Channel: store.Webhook, Address: "https://hook.example.com/alerts", Since: today,
			Paused: store.UntilResumed},
	} {
		a.Subscriber, a.Route, a.Email, a.Language, a.RequestDay = fixture.Subscriber("ada@example.com"), fixture.Route,
			"ada@example.com", "en", today
		a.ID = a.NewID()
		err := records.AddPending(t.Context(), a.Condition(), a, fixture.Today.Add(time.Hour))
		if err == nil {
			a, err = records.Confirm(t.Context(), a.Condition())
		}
		if err == nil && a.Kind == store.Low {
			err = records.MarkNotified(t.Context(), a, today+1, 2999)
		}
		if err == nil && a.Channel == store.Webhook {
			_, err = v.Alerts.Webhooks.Deliveries.ChangeEndpoint(t.Context(), a.Subscriber, a.Address, fixture.Today,
				func(e *store.Endpoint) bool {
					e.Dead = true
					return true
				})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
