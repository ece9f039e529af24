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
	Compared            string   // of a fare that is compared with those for comparable departures: how many cost less. Empty: it is compared with days
	Found               time.Time
	Level               string // as the API says it, with a verdict behind it
	Reliability         string
	Percentile, Sample  int
	Median, Minimum     fare.Cents
	Threshold           fare.Cents // what was asked for; 0: a verdict of ottimo or buono
	Asked               fare.Day   // when it was asked for; 0: not known
	Departure           []string   // sentences about that departure: what is usual for it; may be empty
	Waits               []string   // sentences about waiting, the advice first; may be empty
	Picture             Picture    // may be empty: too little is known to draw
	// When says what was asked for, where it is something else, with emphasis; Trip of which fares, where it is not the cheapest of the route.
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

// alertView is what the templates see.
type alertView struct {
	Alert
	T                                      *i18n.Language
	Subject                                string
	LevelText, ReliabilityText, Share, Why string
	FareText, SampleText                   string
	Good                                   bool // ottimo or buono
	CID                                    htmltemplate.URL
}

// AlertMail writes the mail that tells a subscriber of a fare. An error is a
// fault of ours, and no reason to think ill of the address.
func AlertMail(a Alert) (Message, error) {
	m, err := alertMail(a)
	if err == nil {
		err = check(m)
	}
	if err != nil {
		return Message{}, fmt.Errorf("write mail with an alert: %w", err)
	}
	return m, nil
}

func alertMail(a Alert) (Message, error) {
	v, err := newAlertView(a)
	if err != nil {
		return Message{}, err
	}
	text, html, err := bodies("alert", v)
	if err != nil {
		return Message{}, err
	}
	m := Message{ID: a.ID, To: v.To, Subject: v.Subject, Text: text, HTML: html, Tag: AlertTag, Unsubscribe: a.Unsubscribe}
	if len(a.Picture.PNG) > 0 {
		m.Inline = []Attachment{{ContentID: lowsID, ContentType: "image/png", Name: "verdetto.png", Data: a.Picture.PNG}}
	}
	return m, nil
}

// The levels and reliabilities of a verdict, as the API calls them.
var (
	levels        = []string{"ottimo", "buono", "normale", "caro"}
	reliabilities = []string{"alta", "media", "bassa"}
)

func newAlertView(a Alert) (alertView, error) {
	v := alertView{Alert: a, Good: a.Level == "ottimo" || a.Level == "buono", CID: "cid:" + lowsID}
	var err error
	if v.To, err = ParseAddress(a.To); err != nil {
		return v, err
	}
	if v.T, err = languageOf(a.Lang); err != nil {
		return v, err
	}
	switch {
	case !slices.Contains(levels, a.Level) || !slices.Contains(reliabilities, a.Reliability):
		return v, fmt.Errorf("level %q with reliability %q is no verdict", a.Level, a.Reliability)
	case a.Origin == "" || a.Destination == "":
		return v, errors.New("a city without a name")
	case a.Price <= 0 || a.Sample <= 0 || a.Found.IsZero():
		return v, errors.New("no fare, or nothing that it is compared with")
	case a.Page == "" || a.Unsubscribe == "" || a.Snooze == "" || a.Manage == "":
		return v, errors.New("a link is missing")
	}
	for _, link := range []string{a.Page, a.Snooze, a.Manage} {
		if err := checkUnsubscribe(link); err != nil {
			return v, fmt.Errorf("link: %w", err)
		}
	}
	v.LevelText, v.ReliabilityText = v.T.Text("level."+a.Level), v.T.Text("reliability."+a.Reliability)
	v.FareText = v.T.Text("mail.alert.fare")
	switch {
	case a.Return > 0:
		v.FareText = v.T.Text("mail.alert.fare_return")
	case a.Trip != "":
		v.FareText = v.T.Text("mail.alert.fare_trip")
	}
	v.compared()
	v.Why = v.T.Text("mail.alert.why_verdict")
	switch {
	case a.When != "":
		v.Why = v.T.Text("mail.alert.why_kind", "When", unemphasized(a.When))
	case a.Threshold > 0:
		v.Why = v.T.Text("mail.alert.why_threshold", "Amount", v.T.Amount(a.Threshold))
	}
	if a.Asked > 0 {
		v.Why += " " + v.T.Text("mail.alert.asked", "Date", v.T.Date(a.Asked))
	}
	v.Subject = a.Origin + "–" + a.Destination + v.T.Text("format.colon") + " " + v.T.Amount(a.Price) + ", " + v.LevelText
	return v, nil
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
