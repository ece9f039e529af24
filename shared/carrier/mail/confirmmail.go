package mail

import (
	"errors"
	"fmt"
	htmltemplate "html/template"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

// ConfirmTag is the Tag of mails that ask to confirm an alert.
const ConfirmTag = "confirm"

// Confirm is what a mail that asks to confirm an alert tells.
type Confirm struct {
	To                  string
	Lang                string     // the code of a language of i18n
	Origin, Destination string     // names of cities in that language
	Threshold           fare.Cents // 0: by the verdict
	// When says what is waited for, where it is something else, with emphasis; Trip which fares, where it is not the cheapest of the route.
	When htmltemplate.HTML
	Trip string
	Host string // of the endpoint that the messages would go to; empty: they are mails
	Link string // to the page with the button: https, or http on this machine
	Stop string // where mails like this are stopped: as Link
}

// ConfirmMail writes the mail that asks whoever reads a mailbox whether they want
// an alert that somebody asked for. Without an answer nothing else is sent; to
// unsubscribe is to stop mails that anyone can cause.
func ConfirmMail(c Confirm) (Message, error) {
	v, err := newConfirmView(c)
	if err != nil {
		return Message{}, fmt.Errorf("write mail that asks to confirm: %w", err)
	}
	text, html, err := bodies("confirm", v)
	if err != nil {
		return Message{}, fmt.Errorf("write mail that asks to confirm: %w", err)
	}
	return Message{To: v.To, Subject: v.Subject, Text: text, HTML: html, Unsubscribe: v.Stop, Tag: ConfirmTag}, nil
}

// confirmView is what the templates see.
type confirmView struct {
	Confirm
	T       *i18n.Language
	Subject string
}

func newConfirmView(c Confirm) (confirmView, error) {
	v := confirmView{Confirm: c}
	var err error
	if v.To, err = ParseAddress(c.To); err != nil {
		return v, err
	}
	if c.Origin == "" || c.Destination == "" || c.Threshold < 0 {
		return v, errors.New("no route, or a threshold below 0")
	}
	if err := errors.Join(checkLink(c.Link), checkLink(c.Stop)); err != nil {
		return v, err
	}
	if v.T, err = languageOf(c.Lang); err != nil {
		return v, err
	}
	switch {
	case c.When != "":
	case c.Threshold > 0:
		v.When = v.T.HTML("when.threshold", "Amount", v.T.Amount(c.Threshold))
	default:
		v.When = v.T.HTML("when.verdict")
	}
	v.Subject = v.T.Text("mail.confirm.subject", "Route", c.Origin+"–"+c.Destination)
	return v, nil
}
