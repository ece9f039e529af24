package alerts_test

import (
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
	"verdetto/shared/text/i18n"
)

func TestAlertsToAnywhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, names, country, when string }{
		{"it", "Milano–ovunque", "Spagna", "una destinazione sono bassi o molto bassi, e ce n’è uno di 60,00 € o meno"},
		{"en", "Milan–anywhere", "Spain", "to a destination are low or very low, and there is one for €60.00 or less"},
		{"de", "Mailand–egal wohin", "Spanien", "einem Ziel niedrig oder sehr niedrig sind und es einen von 60,00 € oder weniger gibt"},
		{"fr", "Milan–n’importe où", "Espagne", "une destination sont bas ou très bas, et qu’il y en a un à 60,00 € ou moins"},
		{"es", "Milán–cualquier destino", "España", "un destino sean bajos o muy bajos, y haya uno de 60,00 € o menos"},
		{"pt", "Milão–qualquer destino", "Espanha", "um destino estiverem baixos ou muito baixos, e houver um de 60,00 € ou menos"},
	} {
		t.Run(c.language, func(t *testing.T) {
			clock := storetest.NewClock()
			p := fixture.OpenSubscriptions(t, fixture.Bolt(t, clock.Now), clock)
			const ada = "ada@example.com"
			ask := func(fields string) string {
				t.Helper()
				if a := p.Do("POST", "/v1/alerts", `{"route":"MIL-*","email":"`+ada+`"`+fields+`}`, "Content-Type",
					"application/json", "Accept-Language", c.language); a.Status != 202 {
					t.Fatalf("%d %s", a.Status, a.Body)
				}
				mails := p.Received(ada)
				m := mails[len(mails)-1]
				if !strings.Contains(m.Subject, c.names) || !strings.Contains(m.Text, c.names) {
					t.Errorf("the mail does not name %s: %q\n%s", c.names, m.Subject, m.Text)
				}
				if fields != "" && !strings.Contains(strings.Join(strings.Fields(m.Text), " "), c.when) {
					t.Errorf("the mail lacks %q:\n%s", c.when, m.Text)
				}
				return p.Link(m)
			}
			says := func(what string, page fixture.Reply) {
				t.Helper()
				plain := strings.NewReplacer("<strong>", "", "</strong>", "").Replace(page.Page())
				if page.Status != 200 || !strings.Contains(plain, c.names) || !strings.Contains(plain, c.when) {
					t.Errorf("%s: %d, no %q or %q in\n%s", what, page.Status, c.names, c.when, plain)
				}
			}
			p.Form(ask(""), "", "Accept-Language", c.language)
			link := ask(`,"threshold":60`)
			says("to confirm", p.Do("GET", link, "", "Accept-Language", c.language))
			says("confirmed", p.Form(link, "", "Accept-Language", c.language))
			alerts, err := p.Alerts.Alerts.BySubscriber(t.Context(), fixture.Subscriber(ada))
			if err != nil || len(alerts) != 1 || alerts[0].Threshold != 6000 {
				t.Fatalf("%+v %v", alerts, err)
			}
			says("list", p.Do("GET", p.ManageLink(ada), "", "Accept-Language", c.language))
			if err := p.Alerts.Alerts.MarkNotifiedOf(t.Context(), alerts[0], alerts[0].Since+1, "BUHLIS"); err != nil {
				t.Fatal(err)
			}
			if kept := p.Do("GET", p.ManageLink(ada)+"&format=json",
				"").Body; !strings.Contains(strings.Join(strings.Fields(kept), ""),
				`"threshold":60,"level":"buono"`) || !strings.Contains(strings.Join(strings.Fields(kept), ""),
				`"met":["BUH","LIS"]`) {
				t.Errorf("taken along is %s", kept)
			}
			snooze, end := p.Alerts.Links.Snooze(fixture.Subscriber(ada), alerts[0].Ref()),
				p.Alerts.Links.Unsubscribe(fixture.Subscriber(ada), alerts[0].Ref())
			for what, path := range map[string]string{"star": snooze,
				"escaped star": strings.ReplaceAll(snooze, "*", "%2A")} {
				if a := p.Do("GET", path, "", "Accept-Language", c.language); a.Status != 200 ||
					!strings.Contains(a.Page(), c.names) {
					t.Errorf("%s: %d %s", what, a.Status, a.Body)
				}
			}
			p.Form(snooze, "").Want(t, 200)
			p.Form(p.ManageLink(ada), "resume=MIL-*").Want(t, 200)
			says("to end", p.Do("GET", end, "", "Accept-Language", c.language))
			p.Form(end, "List-Unsubscribe=One-Click").Want(t, 200)
			p.Form(ask(""), "", "Accept-Language", c.language)
			c.names, _, _ = strings.Cut(c.names, "–")
			c.names += "–" + c.country
			spain := ask(`,"area":"es","threshold":60`)
			says("to confirm, to Spain", p.Do("GET", spain, "", "Accept-Language", c.language))
			p.Form(spain, "", "Accept-Language", c.language).Want(t, 200)
			alerts, err = p.Alerts.Alerts.BySubscriber(t.Context(), fixture.Subscriber(ada))
			if err != nil || len(alerts) != 2 || alerts[1].Area != "ES" || alerts[0].Area != "" {
				t.Fatalf("to anywhere and to Spain: %+v %v", alerts, err)
			}
			says("list, with Spain", p.Do("GET", p.ManageLink(ada), "", "Accept-Language", c.language))
			for _, a := range alerts {
				end := p.Alerts.Links.Unsubscribe(fixture.Subscriber(ada), a.Ref())
				p.Form(end, "List-Unsubscribe=One-Click").Want(t, 200)
			}
			if left, err := p.Alerts.Alerts.BySubscriber(t.Context(), fixture.Subscriber(ada)); err != nil ||
				len(left) > 0 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
	if len(i18n.Languages()) != 6 {
		t.Error("not every language is looked at")
	}
}
