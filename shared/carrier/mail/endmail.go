package mail

import (
	"errors"

	"verdetto/shared/text/i18n"
)

type End struct {
	ID                  string // the same for the same alert
	To                  string
	Lang                string
	Origin, Destination string
	Trip                string // departures of the alert
	Manage, Unsubscribe string
}

// EndMail says that an alert has ended because all its departures have passed. The reader needs to
// do nothing.
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
