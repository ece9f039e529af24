package mail

import (
	"errors"
	"fmt"

	"verdetto/shared/text/i18n"
)

// End is what a mail tells whose alert has ended since all departures have been that it was for.
type End struct {
	ID                  string // of the message: the same for the same alert
	To                  string
	Lang                string // the code of a language of i18n
	Origin, Destination string // names of the cities in that language
	Trip                string // which departures those were
	Manage, Unsubscribe string
}

// EndMail writes the mail that says that an alert has ended. It asks for nothing.
func EndMail(e End) (Message, error) {
	m, err := endMail(e)
	if err == nil {
		err = check(m)
	}
	if err != nil {
		return Message{}, fmt.Errorf("write mail that an alert has ended: %w", err)
	}
	return m, nil
}

func endMail(e End) (Message, error) {
	v := struct {
		End
		T       *i18n.Language
		Subject string
	}{End: e}
	var err error
	if v.To, err = ParseAddress(e.To); err != nil {
		return Message{}, err
	}
	if v.T, err = languageOf(e.Lang); err != nil {
		return Message{}, err
	}
	if e.Origin == "" || e.Destination == "" || e.Trip == "" || e.Unsubscribe == "" {
		return Message{}, errors.New("no route, no trip, or no link")
	}
	if err := checkUnsubscribe(e.Manage); err != nil {
		return Message{}, fmt.Errorf("link: %w", err)
	}
	v.Subject = v.T.Text("mail.end.subject", "Route", e.Origin+"–"+e.Destination)
	text, html, err := bodies("end", v)
	return Message{ID: e.ID, To: v.To, Subject: v.Subject, Text: text, HTML: html, Tag: AlertTag, Unsubscribe: e.Unsubscribe}, err
}
