package mail

import (
	"strings"
	"testing"
)

func aManage() AlertsLink {
	return AlertsLink{To: "ada@example.com", Lang: "it", Days: 30, Link: "https://verdetto.example/v1/alerts/manage?t=abc.2026-11-21.def", Stop: "https://verdetto.example/v1/alerts/unsubscribe?t=abc..def"}
}

func TestAlertsMails(t *testing.T) {
	for _, lang := range []string{"it", "en"} {
		t.Run(lang, func(t *testing.T) {
			m := aManage()
			m.Lang = lang
			got, err := AlertsMail(m)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "alerts-"+lang+".txt", []byte(got.Subject+"\n\n"+got.Text))
			golden(t, "alerts-"+lang+".html", []byte(got.HTML))
			if got.To != m.To || got.Tag != AlertsTag || got.Unsubscribe != m.Stop {
				t.Errorf("message %+v", got)
			}
			for what, body := range map[string]string{"text": got.Text, "HTML": got.HTML} {
				for _, want := range []string{m.Link, m.Stop, "30"} {
					if !strings.Contains(body, want) || strings.Contains(body, "no value") {
						t.Errorf("%s lacks %q:\n%s", what, want, body)
					}
				}
			}
			if _, err := composer(t, "Verdetto <v@verdetto.example>").Compose(got); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAlertsMailRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*AlertsLink){
		"nobody":             func(m *AlertsLink) { m.To = "" },
		"two addresses":      func(m *AlertsLink) { m.To = "a@example.com, b@example.com" },
		"language":           func(m *AlertsLink) { m.Lang = "xx" },
		"no day":             func(m *AlertsLink) { m.Days = 0 },
		"no link":            func(m *AlertsLink) { m.Link = "" },
		"link in the clear":  func(m *AlertsLink) { m.Link = "http://verdetto.example/v1/alerts/manage?t=a" },
		"link to stop":       func(m *AlertsLink) { m.Stop = "javascript:alert(1)" },
		"script":             func(m *AlertsLink) { m.Link = "javascript:alert(1)" },
		"markup in the link": func(m *AlertsLink) { m.Link += `"><b>` },
	} {
		m := aManage()
		spoil(&m)
		if got, err := AlertsMail(m); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
