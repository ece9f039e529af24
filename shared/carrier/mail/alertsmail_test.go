package mail

import "testing"

func aManage() AlertsLink {
	return AlertsLink{To: "ada@example.com", Lang: "it", Days: 30,
		Link: "https://verdetto.example/v1/alerts/manage?t=abc.2026-11-21.def",
		Stop: "https://verdetto.example/v1/alerts/unsubscribe?t=abc..def"}
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
			wanted{Message{To: m.To, Tag: AlertsTag, Unsubscribe: m.Stop}, []string{m.Link, m.Stop, "30"}, 0}.hold(t,
				"alerts-"+lang, got)
		})
	}
}

func TestAlertsMailRefuses(t *testing.T) {
	refuses(t, aManage, AlertsMail, map[string]func(*AlertsLink){
		"no address":         func(m *AlertsLink) { m.To = "" },
		"two addresses":      func(m *AlertsLink) { m.To = "a@example.com, b@example.com" },
		"language":           func(m *AlertsLink) { m.Lang = "xx" },
		"no day":             func(m *AlertsLink) { m.Days = 0 },
		"no link":            func(m *AlertsLink) { m.Link = "" },
		"link in the clear":  func(m *AlertsLink) { m.Link = "http://verdetto.example/v1/alerts/manage?t=a" },
		"link to stop":       func(m *AlertsLink) { m.Stop = "javascript:alert(1)" },
		"script":             func(m *AlertsLink) { m.Link = "javascript:alert(1)" },
		"markup in the link": func(m *AlertsLink) { m.Link += `"><b>` },
	})
}
