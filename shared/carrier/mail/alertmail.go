package mail

import (
	"errors"
	"fmt"
	htmltemplate "html/template"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

// AlertTag is the Tag of mails about the fares of an alert.
const AlertTag = "alert"

// Alert is the content of a mail that notifies a subscriber of a fare.
type Alert struct {
	ID                  string // the same for the same news and subscriber
	To                  string
	Lang                string // the code of a language in i18n
	Origin, Destination string // city names in that language
	Price               fare.Cents
	Depart, Return      fare.Day // Return is 0 for a one-way fare
	Since               string   // a sentence about what is new; may be empty
	// Compared says how many comparable departures cost less. Empty: the fare is compared with
	// other days.
	Compared           string
	Found              time.Time
	Level              string // the level in the API; must be that of a verdict
	Reliability        string
	Percentile, Sample int
	Median, Minimum    fare.Cents
	Threshold          fare.Cents // threshold of the alert; 0: a verdict of ottimo or buono
	RequestDay         fare.Day   // when the alert was made; 0: unknown
	Departure          []string   // sentences about the usual price of that departure; may be empty
	Waits              []string   // sentences about waiting, advice first; may be empty
	Picture            Picture    // empty if too little is known to draw
	// When is the condition with emphasis, unless it is a threshold or a verdict. Trip is the trip,
	// unless it is the cheapest fare of the route.
	When htmltemplate.HTML
	Trip string
	// Page shows the verdict, Unsubscribe ends this alert, Snooze pauses it for a month, Manage
	// shows all alerts.
	Page, Unsubscribe, Snooze, Manage string
}

// Picture is a PNG of the lowest fares of recent weeks.
type Picture struct {
	PNG           []byte
	Width, Height int // display size
	Weeks         int
}

// lowsID is the Content-ID of the picture.
const lowsID = "lows@verdetto"

type alertView struct {
	Alert
	T                                      *i18n.Language
	Subject                                string
	LevelText, ReliabilityText, Share, Why string
	FareText, SampleText                   string
	Good                                   bool // ottimo or buono
	CID                                    htmltemplate.URL
}

// AlertMail writes the mail that notifies a subscriber of a fare.
func AlertMail(a Alert) (Message, error) {
	m := Message{ID: a.ID, To: a.To, Tag: AlertTag, Unsubscribe: a.Unsubscribe}
	if len(a.Picture.PNG) > 0 {
		m.Inline = []Attachment{{ContentID: lowsID, ContentType: "image/png", Name: "verdetto.png",
			Data: a.Picture.PNG}}
	}
	return write("alert", m, a.Lang, []string{a.Page, a.Unsubscribe, a.Snooze, a.Manage}, a.fill)
}

func (a Alert) fill(l *i18n.Language) (any, string, error) {
	v := alertView{Alert: a, T: l, Good: isGood(a.Level), CID: "cid:" + lowsID}
	switch {
	case !isVerdict(a.Level, a.Reliability):
		return v, "", fmt.Errorf("level %q with reliability %q is no verdict", a.Level, a.Reliability)
	case a.Origin == "" || a.Destination == "":
		return v, "", errors.New("a city without a name")
	case a.Price <= 0 || a.Sample <= 0 || a.Found.IsZero():
		return v, "", errors.New("no fare, or nothing that it is compared with")
	}
	v.LevelText, v.ReliabilityText = l.Text("level."+a.Level), l.Text("reliability."+a.Reliability)
	v.FareText = l.Text("mail.alert.fare")
	switch {
	case a.Return > 0:
		v.FareText = l.Text("mail.alert.fare_return")
	case a.Trip != "":
		v.FareText = l.Text("mail.alert.fare_trip")
	}
	v.compared()
	switch {
	case a.When != "":
		v.Why = l.Text("mail.alert.why_kind", "When", unemphasized(a.When))
	case a.Threshold > 0:
		v.Why = l.Text("mail.alert.why_threshold", "Amount", l.Amount(a.Threshold))
	default:
		v.Why = l.Text("mail.alert.why_verdict")
	}
	v.Why = withRequestDay(v.Why, l, a.RequestDay)
	v.Subject = a.Origin + "–" + a.Destination + l.Text("format.colon") + " " + l.Amount(a.Price) + ", " + v.LevelText
	return v, v.Subject, nil
}

// compared sets the sentence on what the fare is compared with.
func (v *alertView) compared() {
	if v.Compared != "" {
		v.SampleText, v.Share = v.T.Text("mail.alert.sample_fares", "Fares", v.Sample), v.Compared
		if len(v.Departure) > 0 {
			v.Share = "" // Departure already says it
		}
		return
	}
	v.SampleText = v.T.Text("mail.alert.sample_days", "Days", v.Sample)
	v.Share = v.T.Text("mail.alert.share_least") // percentiles are rounded down
	if v.Percentile > 0 {
		v.Share = v.T.Text("mail.alert.share", "Percent", v.Percentile)
	}
	v.Share += " " + v.T.Text("mail.alert.share_note")
}
