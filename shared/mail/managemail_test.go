package mail

import (
	"strings"
	"testing"
)

func aManage() Manage {
	return Manage{To: "ada@example.com", Lang: "it", Days: 30, Link: "https://verdetto.example/v1/alerts/manage?t=abc.2026-11-21.def"}
}

func TestManageMails(t *testing.T) {
	for _, lang := range []string{"it", "en"} {
		t.Run(lang, func(t *testing.T) {
			m := aManage()
			m.Lang = lang
			got, err := ManageMail(m)
			if err != nil {
				t.Fatal(err)
			}
			golden(t, "manage-"+lang+".txt", []byte(got.Subject+"\n\n"+got.Text))
			golden(t, "manage-"+lang+".html", []byte(got.HTML))
			if got.To != m.To || got.Tag != ManageTag || got.Unsubscribe != "" {
				t.Errorf("message %+v", got)
			}
			for what, body := range map[string]string{"text": got.Text, "HTML": got.HTML} {
				for _, want := range []string{m.Link, "30"} {
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

func TestManageMailRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Manage){
		"nobody":             func(m *Manage) { m.To = "" },
		"two addresses":      func(m *Manage) { m.To = "a@example.com, b@example.com" },
		"language":           func(m *Manage) { m.Lang = "xx" },
		"no day":             func(m *Manage) { m.Days = 0 },
		"no link":            func(m *Manage) { m.Link = "" },
		"link in the clear":  func(m *Manage) { m.Link = "http://verdetto.example/v1/alerts/manage?t=a" },
		"script":             func(m *Manage) { m.Link = "javascript:alert(1)" },
		"markup in the link": func(m *Manage) { m.Link += `"><b>` },
	} {
		m := aManage()
		spoil(&m)
		if got, err := ManageMail(m); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
