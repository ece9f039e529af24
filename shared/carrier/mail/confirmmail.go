package mail

import (
	"errors"
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
	// When says what is waited for, where it is something else, with emphasis; Trip which fares,
	// where it is not the cheapest of the route.
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
