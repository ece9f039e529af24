package mail

import (
	"cmp"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
)

const AlertTag = "alert"

type Alert struct {
	ID                  string // the same for the same news and subscriber
	To                  string
	Lang                string
	Origin, Destination string
	Subject             string
	In                  *i18n.Language // Lang with amounts in the currency of the alert; nil: in euros
	Price               fare.Cents
	Depart, Return      fare.Day // Return: 0 for a one-way fare
	Flight              string   // sentence about the flight; may be empty
	Since               string   // sentence about what is new; may be empty
	Booked              bool     // the trip is paid for: the mail leads with Since and gives no advice
	Found               time.Time
	Day                 fare.Day // from which the age of the fare is counted
	Market              string   // of the fares of the route, as in the API; empty: the alert is for a trip
	Judged
	Threshold  fare.Cents // of the alert; 0: a verdict of ottimo or buono
	RequestDay fare.Day   // when the alert was requested; 0: unknown
	Departure  []string   // sentences about the usual price of that departure; may be empty
	Waits      []string   // sentences about waiting, advice first; may be empty
	Picture    Picture    // empty if too little is known to draw
	// When holds the condition of the alert, with HTML emphasis; empty for the kinds threshold and
	// verdict. Trip is empty for an alert on a route.
	When htmltemplate.HTML
	Trip string
	// Page is the link to the verdict. Unsubscribe ends this alert, Snooze pauses it for a month,
	// and Manage shows all alerts of the subscriber.
	Page, Unsubscribe, Snooze, Manage string
}

// Judged is what a mail says of a fare for its day, with the certainty of that. Without Usual the day
// cannot be judged, and the certainty is that of the market.
type Judged struct {
	Level, Reliability string // as in the API
	Usual              fare.Cents
	Sample             int // fares, or for a market days
}

// words returns the word for the fare and its comparison with the usual price, or "".
func (j Judged) words(l *i18n.Language, price fare.Cents) (level, usual string) {
	if j.Usual == 0 {
		return "", ""
	}
	return l.Text("level." + j.Level), wording.Usual(l, price, j.Usual)
}

func market(l *i18n.Language, level string) string {
	if level == "" {
		return ""
	}
	return wording.Sentence(l.Text("headline.market", "Level", l.Text("market."+level))) + "."
}

type Picture struct {
	PNG           []byte
	Width, Height int // display size
	Weeks         int
}

// lowsID is the Content-ID of the chart.
const lowsID = "lows@verdetto"

type alertView struct {
	Alert
	T                              *i18n.Language
	LevelText, ReliabilityText     string
	Said                           []string // the first is what the reader needs first
	FareText, SampleText, SeenText string
	Why                            string
	CID                            htmltemplate.URL
}

func AlertMail(a Alert) (Message, error) {
	m := Message{ID: a.ID, To: a.To, Tag: AlertTag, Unsubscribe: a.Unsubscribe}
	if len(a.Picture.PNG) > 0 {
		m.Inline = []Attachment{{ContentID: lowsID, ContentType: "image/png", Name: "verdetto.png",
			Data: a.Picture.PNG}}
	}
	return write("alert", m, a.Lang, []string{a.Page, a.Unsubscribe, a.Snooze, a.Manage}, a.fill)
}

func (a Alert) fill(l *i18n.Language) (any, string, error) {
	l = cmp.Or(a.In, l)
	v := alertView{Alert: a, T: l, CID: "cid:" + lowsID}
	switch {
	case !isVerdict(a.Level, a.Reliability):
		return v, "", fmt.Errorf("level %q with reliability %q is no verdict", a.Level, a.Reliability)
	case a.Origin == "" || a.Destination == "":
		return v, "", errors.New("a city without a name")
	case a.Price <= 0 || a.Sample <= 0 || a.Found.IsZero():
		return v, "", errors.New("no fare, or nothing that it is compared with")
	}
	level, usual := a.words(l, a.Price)
	v.LevelText, v.ReliabilityText = level, l.Text("reliability."+a.Reliability)
	if v.Said = []string{market(l, a.Market), usual, a.Since}; a.Booked {
		v.Said = []string{a.Since, usual}
	}
	v.Said = slices.DeleteFunc(v.Said, func(s string) bool { return s == "" })
	v.FareText = l.Text("mail.alert.fare")
	switch {
	case a.Return > 0:
		v.FareText = l.Text("mail.alert.fare_return")
	case a.Trip != "":
		v.FareText = l.Text("mail.alert.fare_trip")
	}
	v.SeenText = wording.Seen(l, a.Found, a.Day)
	v.SampleText = l.Text("mail.alert.sample_days", "Days", a.Sample)
	if a.Usual > 0 || a.Market == "" {
		v.SampleText = l.Text("mail.alert.sample_fares", "Fares", a.Sample)
	}
	switch {
	case a.When != "":
		v.Why = l.Text("mail.alert.why_kind", "When", unemphasized(a.When))
	case a.Threshold > 0:
		v.Why = l.Text("mail.alert.why_threshold", "Amount", l.Amount(a.Threshold))
	default:
		v.Why = l.Text("mail.alert.why_kind", "When", unemphasized(wording.WhenCheap(l, a.Market == "")))
	}
	v.Why = withRequestDay(v.Why, l, a.RequestDay)
	return v, a.Subject, nil
}

// Pill returns the style of the label with the level, in the colours of the web pages.
func (v alertView) Pill() htmltemplate.CSS { return pill(v.Level) }

func pill(level string) htmltemplate.CSS {
	return htmltemplate.CSS("display:inline-block;padding:3px 12px;border-radius:14px;font-weight:600;color:#ffffff;" +
		"background:" + map[string]string{"ottimo": "#0c6b45", "buono": "#3b7447", "normale": "#6a5c3b", "caro": "#a33b20"}[level])
}
