package mail

import (
	"strings"
	"testing"
)

func aConfirm() Confirm {
	return Confirm{
		To: "ada@example.com", Lang: "it", Origin: "Milano", Destination: "Bucarest", Threshold: 4050,
		Link: "https://verdetto.example/v1/alerts/confirm?id=AAECAwQFBgcICQoLDA0ODw",
		Stop: "https://verdetto.example/v1/alerts/unsubscribe?t=abc..def",
	}
}

func TestConfirmMails(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Confirm)
		amount string
	}{
		{"confirm-it", func(*Confirm) {}, "40,50\u00a0€"},
		{"confirm-en", func(c *Confirm) { c.Lang, c.Origin, c.Destination = "en", "Milan", "Bucharest" }, "€40.50"},
		{"confirm-it-verdict", func(c *Confirm) { c.Threshold = 0 }, ""},
		{"confirm-en-verdict", func(c *Confirm) { c.Lang, c.Threshold = "en", 0 }, ""},
		{"confirm-en-webhook", func(c *Confirm) { c.Lang, c.Host = "en", "hook.example.com" }, "hook.example.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			confirm := aConfirm()
			c.change(&confirm)
			got, err := ConfirmMail(confirm)
			if err != nil {
				t.Fatal(err)
			}
			says := []string{confirm.Origin + "–" + confirm.Destination, confirm.Link, confirm.Stop, "48", c.amount}
			wanted{Message{To: "ada@example.com", Tag: ConfirmTag, Unsubscribe: confirm.Stop}, says, 0}.hold(t,
				c.name, got)
			if c.amount == "" && strings.Contains(got.Text+got.HTML, "€") {
				t.Error("an amount that was not asked for")
			}
		})
	}
}

func TestConfirmMailRefuses(t *testing.T) {
	refuses(t, aConfirm, ConfirmMail, map[string]func(*Confirm){
		"no address":                   func(c *Confirm) { c.To = "" },
		"a header in the address":      func(c *Confirm) { c.To += "\r\nBcc: bob@example.com" },
		"no origin":                    func(c *Confirm) { c.Origin = "" },
		"no destination":               func(c *Confirm) { c.Destination = "" },
		"a threshold below 0":          func(c *Confirm) { c.Threshold = -1 },
		"no link":                      func(c *Confirm) { c.Link = "" },
		"a link without encryption":    func(c *Confirm) { c.Link = "http://verdetto.example/v1" },
		"a link that ends a quotation": func(c *Confirm) { c.Link += `"onclick=x` },
		"a link that runs a script":    func(c *Confirm) { c.Link = "javascript:alert(1)" },
		"a link with a line break":     func(c *Confirm) { c.Link += "\n" },
		"no link to stop":              func(c *Confirm) { c.Stop = "" },
		"unknown language":             func(c *Confirm) { c.Lang = "nl" },
		"no language":                  func(c *Confirm) { c.Lang = "" },
	})
}

// A city name cannot inject a header or other content.
func TestConfirmMailNames(t *testing.T) {
	c := aConfirm()
	c.Origin = "Milano\r\nBcc: bob@example.com"
	got, err := ConfirmMail(c)
	if err == nil {
		_, err = composer(t, "v@verdetto.example").Compose(got)
	}
	if err == nil {
		t.Error("a line break in the subject was written")
	}
	c.Origin = "<b onclick=x>"
	if got, err = ConfirmMail(c); err != nil || strings.Contains(got.HTML, "<b onclick") {
		t.Errorf("%v %s", err, got.HTML)
	}
}
