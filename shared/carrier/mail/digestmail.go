package mail

import (
	"errors"
	htmltemplate "html/template"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

// Digest is the content of a weekly mail with all alerts in a subscriber's digest.
type Digest struct {
	ID      string // the same for the same subscriber and day
	To      string
	Lang    string // the code of a language in i18n
	Weekday time.Weekday
	Alerts  []DigestAlert // in reading order
	// Manage shows all alerts of the subscriber, Unsubscribe ends those in the digest.
	Manage, Unsubscribe string
}

// DigestAlert is one alert of a digest, with today's fare.
type DigestAlert struct {
	Origin, Destination string            // city names
	Trip                string            // empty: the cheapest one-way fare of the route
	When                htmltemplate.HTML // the condition, with emphasis
	Met                 bool              // the condition is met today
	Price               fare.Cents        // 0: no fare; the fields up to Median are then empty
	Depart              fare.Day
	Level, Reliability  string     // as in the API; without enough data there is no verdict
	Median              fare.Cents // set if there is a verdict
	Before              fare.Cents // price in the last digest; 0: none
	// Page shows the verdict, Unsubscribe ends this alert, Snooze pauses it for a month.
	Page, Unsubscribe, Snooze string
}

// DigestMail writes the weekly mail with all alerts of a digest.
func DigestMail(d Digest) (Message, error) {
	links := []string{d.Manage, d.Unsubscribe}
	for _, a := range d.Alerts {
		links = append(links, a.Page, a.Unsubscribe, a.Snooze)
	}
	return write("digest", Message{ID: d.ID, To: d.To, Tag: AlertTag, Unsubscribe: d.Unsubscribe}, d.Lang, links,
		d.fill)
}

type digestView struct {
	Digest
	T       *i18n.Language
	Subject string
	Rows    []digestRow
}

type digestRow struct {
	DigestAlert
	Good                        bool // ottimo or buono
	LevelText, Certainty, Since string
	ConditionText               htmltemplate.HTML
}

func (d Digest) fill(l *i18n.Language) (any, string, error) {
	v := digestView{Digest: d, T: l}
	if len(d.Alerts) == 0 {
		return v, "", errors.New("no alert")
	}
	met := 0
	for _, a := range d.Alerts {
		row, err := newDigestRow(a, l)
		if err != nil {
			return v, "", err
		}
		if a.Met {
			met++
		}
		v.Rows = append(v.Rows, row)
	}
	v.Subject = l.Text("mail.digest.subject")
	if met > 0 {
		v.Subject = l.Text("mail.digest.subject_met", "Met", met, "All", len(d.Alerts))
	}
	return v, v.Subject, nil
}

func newDigestRow(a DigestAlert, l *i18n.Language) (digestRow, error) {
	r := digestRow{DigestAlert: a, Good: isGood(a.Level)}
	switch {
	case a.Origin == "" || a.Destination == "" || a.When == "":
		return r, errors.New("a city without a name, or nothing that was asked for")
	case a.Price < 0 || a.Price == 0 && a.Met:
		return r, errors.New("a price below nought, or none that is as asked for")
	}
	r.ConditionText = l.HTML("mail.digest.unmet", "When", a.When)
	if a.Met {
		r.ConditionText = l.HTML("mail.digest.met", "When", a.When)
	}
	if a.Price == 0 {
		return r, nil
	}
	r.Certainty = l.Text("mail.digest.unknown")
	if isVerdict(a.Level, a.Reliability) {
		r.LevelText = l.Text("level." + a.Level)
		r.Certainty = l.Text("certainty."+a.Reliability) + ". " +
			l.Text("mail.digest.usual", "Median", l.Amount(a.Median))
	}
	switch by := a.Price - a.Before; {
	case a.Before == 0:
	case by < 0:
		r.Since = l.Text("mail.digest.less", "By", l.Amount(-by), "Before", l.Amount(a.Before))
	case by > 0:
		r.Since = l.Text("mail.digest.more", "By", l.Amount(by), "Before", l.Amount(a.Before))
	default:
		r.Since = l.Text("mail.digest.same")
	}
	return r, nil
}
