package mail

import (
	"cmp"
	"errors"
	htmltemplate "html/template"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
)

// Digest is the content of a weekly mail about all of a subscriber's weekly alerts.
type Digest struct {
	ID      string // the same for the same subscriber and day
	To      string
	Lang    string
	Weekday time.Weekday
	Day     fare.Day      // from which the age of fares is counted
	Alerts  []DigestAlert // in reading order
	// Manage shows all alerts of the subscriber. Unsubscribe ends all alerts in the digest.
	Manage, Unsubscribe string
}

type DigestAlert struct {
	Origin, Destination string
	In                  *i18n.Language    // as in Alert
	Trip                string            // empty: the cheapest one-way fare of the route
	When                htmltemplate.HTML // the condition, with emphasis
	Met                 bool
	Price               fare.Cents // 0: no fare; the fields up to Judged are then empty
	Depart              fare.Day
	Flight              string // sentence about the flight; may be empty
	Found               time.Time
	Market              string // as in Alert
	Judged
	Before fare.Cents // price in the last digest; 0: none
	// Page is the link to the verdict. Unsubscribe ends this alert, and Snooze pauses it for a
	// month.
	Page, Unsubscribe, Snooze string
}

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
	LevelText, MarketText, UsualText string
	Certainty, Since, SeenText       string
	PriceText                        string
	ConditionText                    htmltemplate.HTML
}

func (r digestRow) Pill() htmltemplate.CSS { return pill(r.Level) }

func (d Digest) fill(l *i18n.Language) (any, string, error) {
	v := digestView{Digest: d, T: l}
	if len(d.Alerts) == 0 {
		return v, "", errors.New("no alert")
	}
	met := 0
	for _, a := range d.Alerts {
		row, err := newDigestRow(a, d.Day, l)
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

func newDigestRow(a DigestAlert, today fare.Day, l *i18n.Language) (digestRow, error) {
	l = cmp.Or(a.In, l)
	r := digestRow{DigestAlert: a, PriceText: l.Amount(a.Price)}
	switch {
	case a.Origin == "" || a.Destination == "" || a.When == "":
		return r, errors.New("a city without a name, or nothing that was asked for")
	case a.Price < 0 || a.Price == 0 && a.Met || a.Price > 0 && a.Found.IsZero():
		return r, errors.New("a price below nought, or none that is as asked for")
	}
	r.ConditionText = l.HTML("mail.digest.unmet", "When", a.When)
	if a.Met {
		r.ConditionText = l.HTML("mail.digest.met", "When", a.When)
	}
	if a.Price == 0 {
		return r, nil
	}
	r.Certainty, r.SeenText = l.Text("mail.digest.unknown"), wording.Seen(l, a.Found, today)
	if isVerdict(a.Level, a.Reliability) {
		r.LevelText, r.UsualText = a.words(l, a.Price)
		r.MarketText = market(l, a.Market)
		r.Certainty = l.Text("certainty."+a.Reliability) + "."
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
