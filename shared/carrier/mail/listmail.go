package mail

import (
	"errors"
	"fmt"
	htmltemplate "html/template"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

// List is what a mail says that tells a subscriber of an alert to anywhere of the
// destinations that meet it.
type List struct {
	ID      string // of the message: the same for the same list to the same subscriber
	To      string
	Lang    string // the code of a language of i18n
	Subject string // in that language
	Fares   []Listed
	More    int // destinations that meet it beside those
	// When says what was asked for, with emphasis; Trip of which fares, where it is not all.
	When  htmltemplate.HTML
	Trip  string
	Asked fare.Day // when it was asked for; 0: not known
	// Page lists them all, Unsubscribe ends this alert, Snooze pauses it for a month, Manage shows all of the subscriber.
	Page, Unsubscribe, Snooze, Manage string
}

// Listed is a fare of a list.
type Listed struct {
	Destination   string // name of the city
	Price, Median fare.Cents
	Depart        fare.Day
	Found         time.Time
	Level         string // as the API says it
	Reliability   string
	Page          string // shows the verdict
}

// listView is what the templates see.
type listView struct {
	List
	T           *i18n.Language
	Others, Why string
}

// Said says how good a fare is, Sure how sure that is.
func (v listView) Said(f Listed) string { return v.T.Text("level." + f.Level) }
func (v listView) Sure(f Listed) string { return v.T.Text("certainty." + f.Reliability) }

// ListMail writes the mail of an alert to anywhere. An error is a fault of ours, and
// no reason to think ill of the address.
func ListMail(a List) (Message, error) {
	m, err := listMail(a)
	if err == nil {
		err = check(m)
	}
	if err != nil {
		return Message{}, fmt.Errorf("write mail with a list of fares: %w", err)
	}
	return m, nil
}

func listMail(a List) (Message, error) {
	v := listView{List: a}
	var err error
	if v.To, err = ParseAddress(a.To); err != nil {
		return Message{}, err
	}
	if v.T, err = languageOf(a.Lang); err != nil {
		return Message{}, err
	}
	if a.Subject == "" || len(a.Fares) == 0 || a.When == "" || a.Unsubscribe == "" {
		return Message{}, errors.New("no subject, no fare, no condition, or a link is missing")
	}
	links := []string{a.Page, a.Snooze, a.Manage}
	for _, f := range a.Fares {
		switch {
		case f.Destination == "" || f.Price <= 0 || f.Depart == 0 || f.Found.IsZero():
			return Message{}, errors.New("a city without a name, or no fare")
		case !slices.Contains(levels, f.Level) || !slices.Contains(reliabilities, f.Reliability):
			return Message{}, fmt.Errorf("level %q with reliability %q is no verdict", f.Level, f.Reliability)
		}
		links = append(links, f.Page)
	}
	for _, link := range links {
		if err := checkUnsubscribe(link); err != nil {
			return Message{}, fmt.Errorf("link: %w", err)
		}
	}
	if a.More > 0 {
		v.Others = v.T.Count("mail.list.more", a.More)
	}
	v.Why = v.T.Text("mail.alert.why_kind", "When", unemphasized(a.When))
	if a.Asked > 0 {
		v.Why += " " + v.T.Text("mail.alert.asked", "Date", v.T.Date(a.Asked))
	}
	text, html, err := bodies("list", v)
	return Message{ID: a.ID, To: v.To, Subject: a.Subject, Text: text, HTML: html, Tag: AlertTag, Unsubscribe: a.Unsubscribe}, err
}
