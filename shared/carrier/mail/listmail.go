package mail

import (
	"cmp"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
)

// List is the content of a mail about an alert to any destination: those that meet the alert.
type List struct {
	ID      string // the same for the same list and subscriber
	To      string
	Lang    string
	Subject string
	In      *i18n.Language // Lang with amounts in the currency of the alert; nil: in euros
	Fares   []Listed
	More    int // further destinations that meet the alert
	// When holds the condition of the alert, with HTML emphasis. Trip is empty if all fares count.
	When       htmltemplate.HTML
	Trip       string
	RequestDay fare.Day // when the alert was requested; 0: unknown
	Day        fare.Day // from which the age of fares is counted
	// Page is the link to all destinations. Unsubscribe ends this alert, Snooze pauses it for a
	// month, and Manage shows all alerts of the subscriber.
	Page, Unsubscribe, Snooze, Manage string
}

type Listed struct {
	Destination string
	Price       fare.Cents
	Depart      fare.Day
	Flight      string // sentence about the flight; may be empty
	Found       time.Time
	Judged
	Page string // shows the verdict
}

type listView struct {
	List
	T           *i18n.Language
	Others, Why string
}

func (v listView) ReliabilityText(f Listed) string { return v.T.Text("certainty." + f.Reliability) }

func (v listView) LevelText(f Listed) string {
	level, _ := f.words(v.T, f.Price)
	return level
}

// UsualText returns the difference to the usual fare as a sentence, or "" if that is unknown.
func (v listView) UsualText(f Listed) string {
	_, usual := f.words(v.T, f.Price)
	return usual
}

func (v listView) Seen(f Listed) string { return wording.Seen(v.T, f.Found, v.Day) }

func ListMail(a List) (Message, error) {
	links := []string{a.Page, a.Unsubscribe, a.Snooze, a.Manage}
	for _, f := range a.Fares {
		links = append(links, f.Page)
	}
	return write("list", Message{ID: a.ID, To: a.To, Tag: AlertTag, Unsubscribe: a.Unsubscribe}, a.Lang, links, a.fill)
}

func (a List) fill(l *i18n.Language) (any, string, error) {
	l = cmp.Or(a.In, l)
	v := listView{List: a, T: l, Why: withRequestDay(l.Text("mail.alert.why_kind", "When", unemphasized(a.When)), l,
		a.RequestDay)}
	if len(a.Fares) == 0 || a.When == "" {
		return v, "", errors.New("no fare, or no condition")
	}
	for _, f := range a.Fares {
		switch {
		case f.Destination == "" || f.Price <= 0 || f.Depart == 0 || f.Found.IsZero():
			return v, "", errors.New("a city without a name, or no fare")
		case !isVerdict(f.Level, f.Reliability):
			return v, "", fmt.Errorf("level %q with reliability %q is no verdict", f.Level, f.Reliability)
		}
	}
	if a.More > 0 {
		v.Others = l.Count("mail.list.more", a.More)
	}
	return v, a.Subject, nil
}
