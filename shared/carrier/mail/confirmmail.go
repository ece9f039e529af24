package mail

import (
	"errors"
	htmltemplate "html/template"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
)

const ConfirmTag = "confirm"

type Confirm struct {
	To                  string
	Lang                string
	Origin, Destination string
	Threshold           fare.Cents // 0: by the verdict
	// When holds the condition of the alert, with HTML emphasis; empty for a threshold or a
	// verdict. Trip is empty for the cheapest fare of the route.
	When htmltemplate.HTML
	Trip string
	Host string // of the endpoint; empty: notifications go by mail
	Link string // to the page with the button: https, or http on this machine
	Stop string
}

// ConfirmMail writes the mail that asks a mailbox owner to confirm an alert. Without the
// confirmation, no other mail about the alert follows. The unsubscribe link stops all mails that
// other callers can cause.
func ConfirmMail(c Confirm) (Message, error) {
	return write("confirm", Message{To: c.To, Unsubscribe: c.Stop, Tag: ConfirmTag}, c.Lang, c.fill)
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
		v.When = wording.WhenCheap(l, c.Trip != "")
	}
	v.Subject = l.Text("mail.confirm.subject", "Route", c.Origin+"–"+c.Destination)
	return v, v.Subject, nil
}
