package mail

import (
	"errors"
	"fmt"
	htmltemplate "html/template"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

// AlertTag is the Tag of mails that bring news of a route.
const AlertTag = "alert"

// Alert is what a mail that tells a subscriber of a fare says.
type Alert struct {
	ID                  string // of the message: the same for the same news to the same subscriber
	To                  string
	Lang                string // the code of a language of i18n
	Origin, Destination string // names of the cities in that language
	Price               fare.Cents
	Depart, Return      fare.Day // Return is 0 of a fare one-way
	Since               string   // a sentence about what is new; may be empty
	// of a fare that is compared with those for comparable departures: how many cost less. Empty:
	// it is compared with days
	Compared           string
	Found              time.Time
	Level              string // as the API says it, with a verdict behind it
	Reliability        string
	Percentile, Sample int
	Median, Minimum    fare.Cents
	Threshold          fare.Cents // what was asked for; 0: a verdict of ottimo or buono
	Asked              fare.Day   // when it was asked for; 0: not known
	Departure          []string   // sentences about that departure: what is usual for it; may be empty
	Waits              []string   // sentences about waiting, the advice first; may be empty
	Picture            Picture    // may be empty: too little is known to draw
	// When says what was asked for, where it is something else, with emphasis; Trip of which fares,
	// where it is not the cheapest of the route.
	When htmltemplate.HTML
	Trip string
	// Page shows the verdict, Unsubscribe ends this alert, Snooze pauses it for a month, Manage shows them all.
	Page, Unsubscribe, Snooze, Manage string
}

// Picture is a PNG of the lowest fares of some weeks.
type Picture struct {
	PNG           []byte
	Width, Height int // as shown
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

// AlertMail writes the mail that tells a subscriber of a fare.
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
	v.Why = withAsked(v.Why, l, a.Asked)
	v.Subject = a.Origin + "–" + a.Destination + l.Text("format.colon") + " " + l.Amount(a.Price) + ", " + v.LevelText
	return v, v.Subject, nil
}

// compared says what the fare is compared with.
func (v *alertView) compared() {
	if v.Compared != "" {
		v.SampleText, v.Share = v.T.Text("mail.alert.sample_fares", "Fares", v.Sample), v.Compared
		if len(v.Departure) > 0 {
			v.Share = "" // it stands there
		}
		return
	}
	v.SampleText = v.T.Text("mail.alert.sample_days", "Days", v.Sample)
	v.Share = v.T.Text("mail.alert.share_least") // a percentile is rounded down
	if v.Percentile > 0 {
		v.Share = v.T.Text("mail.alert.share", "Percent", v.Percentile)
	}
	v.Share += " " + v.T.Text("mail.alert.share_note")
}
