package mail

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"net/url"
	"strings"
	"sync"
	texttemplate "text/template"

	"verdetto/shared/fare"
)

// ConfirmTag is the Tag of mails that ask to confirm an alert.
const ConfirmTag = "confirm"

// Confirm is what a mail that asks to confirm an alert tells.
type Confirm struct {
	To                  string
	Lang                string // Italian or English
	Origin, Destination string // names of cities in that language
	Threshold           fare.Cents
	Link                string // to the page with the button: https, or http on this machine
}

//go:embed confirm.txt.tmpl confirm.html.tmpl
var confirmTemplates embed.FS

// Read when the first mail is written, as those of keys are.
var (
	confirmText = sync.OnceValue(func() *texttemplate.Template {
		return texttemplate.Must(texttemplate.ParseFS(confirmTemplates, "confirm.txt.tmpl"))
	})
	confirmHTML = sync.OnceValue(func() *htmltemplate.Template {
		return htmltemplate.Must(htmltemplate.ParseFS(confirmTemplates, "confirm.html.tmpl"))
	})
)

// ConfirmMail writes the mail that asks whoever reads a mailbox whether they want
// an alert that somebody asked for. There is nothing to unsubscribe from: without
// an answer nothing else is sent.
func ConfirmMail(c Confirm) (Message, error) {
	v, err := confirmation(c)
	if err != nil {
		return Message{}, fmt.Errorf("write mail that asks to confirm: %w", err)
	}
	var text, html bytes.Buffer
	if err := confirmText().ExecuteTemplate(&text, c.Lang, v); err != nil {
		return Message{}, fmt.Errorf("write mail that asks to confirm: %w", err)
	}
	if err := confirmHTML().ExecuteTemplate(&html, "confirm.html.tmpl", v); err != nil {
		return Message{}, fmt.Errorf("write mail that asks to confirm: %w", err)
	}
	return Message{To: v.To, Subject: v.Subject, Text: text.String(), HTML: html.String(), Tag: ConfirmTag}, nil
}

// confirmView is what the templates see.
type confirmView struct {
	Confirm
	Subject string
	Amount  string // of the threshold; empty: by the verdict
}

func confirmation(c Confirm) (confirmView, error) {
	v := confirmView{Confirm: c}
	var err error
	if v.To, err = ParseAddress(c.To); err != nil {
		return v, err
	}
	if c.Origin == "" || c.Destination == "" || c.Threshold < 0 {
		return v, errors.New("no route, or a threshold below 0")
	}
	link, err := url.Parse(c.Link)
	if err != nil {
		return v, errors.New("link: not a URL")
	}
	if err := errors.Join(secure(link), only(c.Link, ":/.-_[]?=&%")); err != nil {
		return v, fmt.Errorf("link: %w", err)
	}
	euro := fmt.Sprintf("%d.%02d", c.Threshold/100, c.Threshold%100)
	switch c.Lang {
	case Italian:
		v.Subject, v.Amount = "Conferma l'avviso "+c.Origin+"–"+c.Destination, strings.Replace(euro, ".", ",", 1)+"\u00a0€"
	case English:
		v.Subject, v.Amount = "Confirm the alert "+c.Origin+"–"+c.Destination, "€"+euro
	default:
		return v, fmt.Errorf("language %q is not known", c.Lang)
	}
	if c.Threshold == 0 {
		v.Amount = ""
	}
	return v, nil
}
