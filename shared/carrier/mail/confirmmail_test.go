package mail

import (
	"regexp"
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
			golden(t, c.name+".txt", []byte(got.Subject+"\n\n"+got.Text))
			golden(t, c.name+".html", []byte(got.HTML))

			if got.To != "ada@example.com" || got.Tag != ConfirmTag || got.Unsubscribe != confirm.Stop {
				t.Errorf("message %+v", got)
			}
			for what, body := range map[string]string{"text": got.Text, "HTML": got.HTML} {
				for _, want := range []string{confirm.Origin + "–" + confirm.Destination, confirm.Link, confirm.Stop, "48", c.amount} {
					if !strings.Contains(body, want) {
						t.Errorf("%s lacks %q", what, want)
					}
				}
				if strings.Contains(body, "no value") || c.amount == "" && strings.Contains(body, "€") {
					t.Errorf("%s is wrongly filled:\n%s", what, body)
				}
			}
			if loads := regexp.MustCompile(`(?i)<(img|link|script|iframe|object|video)|url\(|@import|\ssrc=`).FindString(got.HTML); loads != "" {
				t.Errorf("reading the mail would load something: %s", loads)
			}

			raw, err := composer(t, "Verdetto <v@verdetto.example>").Compose(got)
			if err != nil {
				t.Fatal(err)
			}
			read := readByPython(t, raw)
			if len(read.Defects) > 0 || len(read.Parts) != 3 || read.Preferred != "text/html" || read.To[0][1] != "ada@example.com" {
				t.Fatalf("read as %+v", read)
			}
			if *read.Parts[1].Content != got.Text || *read.Parts[2].Content != got.HTML {
				t.Error("what was read is not what was written")
			}
			for _, h := range read.Headers {
				if h[0] == "Subject" && h[1] != got.Subject {
					t.Errorf("subject %q, want %q", h[1], got.Subject)
				}
			}
		})
	}
}

func TestConfirmMailRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Confirm)
	}{
		{"no address", func(c *Confirm) { c.To = "" }},
		{"a header in the address", func(c *Confirm) { c.To += "\r\nBcc: bob@example.com" }},
		{"no origin", func(c *Confirm) { c.Origin = "" }},
		{"no destination", func(c *Confirm) { c.Destination = "" }},
		{"a threshold below 0", func(c *Confirm) { c.Threshold = -1 }},
		{"no link", func(c *Confirm) { c.Link = "" }},
		{"a link without encryption", func(c *Confirm) { c.Link = "http://verdetto.example/v1" }},
		{"a link that ends a quotation", func(c *Confirm) { c.Link += `"onclick=x` }},
		{"a link that runs a script", func(c *Confirm) { c.Link = "javascript:alert(1)" }},
		{"a link with a line break", func(c *Confirm) { c.Link += "\n" }},
		{"no link to stop", func(c *Confirm) { c.Stop = "" }},
		{"unknown language", func(c *Confirm) { c.Lang = "nl" }},
		{"no language", func(c *Confirm) { c.Lang = "" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			confirm := aConfirm()
			c.change(&confirm)
			if got, err := ConfirmMail(confirm); err == nil || got.Text != "" {
				t.Errorf("wrote %q", got.Text)
			}
		})
	}
}

// TestConfirmMailNames: no name of a city can add to the mail.
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
