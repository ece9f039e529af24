package mail

import (
	"errors"
	htmltemplate "html/template"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

// ConfirmTag is the Tag (kind of mail) of mails that ask to confirm an alert.
const ConfirmTag = "confirm"

// Confirm is the content of a mail that asks to confirm an alert.
type Confirm struct {
	To                  string
	Lang                string     // the code of a language in i18n
	Origin, Destination string     // city names in that language
	Threshold           fare.Cents // 0: by the verdict
	// The field When is the condition of the alert, with HTML emphasis. It is empty for a threshold
	// or a verdict. Trip describes the trip. It is empty for the cheapest fare of the route.
	When htmltemplate.HTML
	Trip string
	Host string // host of the endpoint; empty: notifications go by mail
	Link string // to the page with the button: https, or http on this machine
	Stop string // link that stops such mails: as Link
}

// ConfirmMail writes the mail that asks the reader of a mailbox to confirm an alert. If the reader
// does not confirm, no other mail about the alert follows. The unsubscribe link stops all mails
// that other callers can cause.
func ConfirmMail(c Confirm) (Message, error) {
	return write("confirm", Message{To: c.To, Unsubscribe: c.Stop, Tag: ConfirmTag}, c.Lang, nil, c.fill)
}

type confirmView struct {
	Confirm
	T       *i18n.Language
	Subject string
}

func (c Confirm) fill(l *i18n.Language) (any, string, error) {
	v := confirmView{Confirm: c, T: l}
	if c.Origin == "" || c.Destination == "" || c.Threshold < 0 {
		return v, "", errors.New("no route, or a threshold below 0")
	}
	if err := errors.Join(checkLink(c.Link), checkLink(c.Stop)); err != nil {
		return v, "", err
	}
	switch {
	case c.When != "":
	case c.Threshold > 0:
		v.When = l.HTML("when.threshold", "Amount", l.Amount(c.Threshold))
	default:
		v.When = l.HTML("when.verdict")
	}
	v.Subject = l.Text("mail.confirm.subject", "Route", c.Origin+"–"+c.Destination)
	return v, v.Subject, nil
}
