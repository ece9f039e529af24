package mail

import (
	"errors"

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
	m := Message{ID: e.ID, To: e.To, Tag: AlertTag, Unsubscribe: e.Unsubscribe}
	return write("end", m, e.Lang, []string{e.Manage, e.Unsubscribe}, func(l *i18n.Language) (any, string, error) {
		if e.Origin == "" || e.Destination == "" || e.Trip == "" {
			return nil, "", errors.New("no route, or no trip")
		}
		subject := l.Text("mail.end.subject", "Route", e.Origin+"–"+e.Destination)
		return struct {
			End
			T       *i18n.Language
			Subject string
		}{e, l, subject}, subject, nil
	})
}
