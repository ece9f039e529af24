package mail

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"strings"
	"sync"
	texttemplate "text/template"
	"time"

	"verdetto/shared/fare"
)

// AlertTag is the Tag of mails that bring news of a route.
const AlertTag = "alert"

// Alert is what a mail that a subscriber is woken by tells.
type Alert struct {
	ID                  string // of the message: the same for the same news to the same subscriber
	To                  string
	Lang                string // Italian or English
	Origin, Destination string // names of the cities in that language
	Price               fare.Cents
	Depart              fare.Day
	Found               time.Time
	Level               string // as the API says it, with a verdict behind it
	Reliability         string
	Percentile, Sample  int
	Median, Minimum     fare.Cents
	Threshold           fare.Cents // what was asked for; 0: a verdict of ottimo or buono
	Picture             Picture
	// Unsubscribe ends this alert, Manage shows them all.
	Unsubscribe, Manage string
}

// Picture is a PNG of the lowest fares of some weeks.
type Picture struct {
	PNG           []byte
	Width, Height int // as shown
	Weeks         int
}

// lowsID is the Content-ID of the picture.
const lowsID = "lows@verdetto"

//go:embed alert.txt.tmpl
var alertTextSource string

//go:embed alert.html.tmpl
var alertHTMLSource string

var (
	alertText = sync.OnceValue(func() *texttemplate.Template {
		return texttemplate.Must(texttemplate.New("alert.txt").Parse(alertTextSource))
	})
	alertHTML = sync.OnceValue(func() *htmltemplate.Template {
		return htmltemplate.Must(htmltemplate.New("alert.html").Parse(alertHTMLSource))
	})
)

// alertView is what the templates see: everything said in the language.
type alertView struct {
	Alert
	Subject                           string
	Italian                           bool
	PriceText, MedianText             string
	MinimumText, ThresholdText        string
	Departs, Seen                     string
	LevelText, ReliabilityText, Share string
	Good                              bool // ottimo or buono
	CID                               htmltemplate.URL
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
	v, err := viewAlert(a)
	if err != nil {
		return Message{}, err
	}
	var text, html bytes.Buffer
	if err := alertText().Execute(&text, v); err != nil {
		return Message{}, err
	}
	if err := alertHTML().Execute(&html, v); err != nil {
		return Message{}, err
	}
	return Message{
		ID: a.ID, To: v.To, Subject: v.Subject, Text: text.String(), HTML: html.String(), Tag: AlertTag, Unsubscribe: a.Unsubscribe,
		Inline: []Attachment{{ContentID: lowsID, ContentType: "image/png", Name: "verdetto.png", Data: a.Picture.PNG}},
	}, nil
}

// The words of the API, and what they are in English.
var (
	levelWords       = map[string]string{"ottimo": "great", "buono": "good", "normale": "normal", "caro": "expensive"}
	reliabilityWords = map[string]string{"alta": "high", "media": "medium", "bassa": "low"}
)

func viewAlert(a Alert) (alertView, error) {
	v := alertView{Alert: a, Italian: a.Lang == Italian, Good: a.Level == "ottimo" || a.Level == "buono", CID: "cid:" + lowsID}
	var err error
	if v.To, err = ParseAddress(a.To); err != nil {
		return v, err
	}
	level, reliability := levelWords[a.Level], reliabilityWords[a.Reliability]
	switch {
	case a.Lang != Italian && a.Lang != English:
		return v, fmt.Errorf("language %q is not known", a.Lang)
	case level == "" || reliability == "":
		return v, fmt.Errorf("level %q with reliability %q is no verdict", a.Level, a.Reliability)
	case a.Origin == "" || a.Destination == "":
		return v, errors.New("a city without a name")
	case a.Price <= 0 || a.Sample <= 0 || a.Found.IsZero():
		return v, errors.New("no fare, or nothing that it is compared with")
	case len(a.Picture.PNG) == 0 || a.Unsubscribe == "" || a.Manage == "":
		return v, errors.New("no picture, or a link is missing")
	}
	if err := checkUnsubscribe(a.Manage); err != nil {
		return v, fmt.Errorf("link: %w", err)
	}
	v.LevelText, v.ReliabilityText = level, reliability
	v.Departs, v.Seen = dayEN(a.Depart), Moment(a.Found, English)
	money := moneyEN
	if v.Italian {
		v.LevelText, v.ReliabilityText = a.Level, a.Reliability
		v.Departs, v.Seen = dayIT(a.Depart), Moment(a.Found, Italian)
		money = moneyIT
	}
	v.PriceText, v.MedianText, v.MinimumText = money(a.Price), money(a.Median), money(a.Minimum)
	if a.Threshold > 0 {
		v.ThresholdText = money(a.Threshold)
	}
	v.Share = share(a.Percentile, v.Italian)
	v.Subject = fmt.Sprintf("%s–%s: %s, %s", a.Origin, a.Destination, v.PriceText, v.LevelText)
	return v, nil
}

// share says a percentile, which is rounded down, as a share of the days.
func share(percentile int, italian bool) string {
	switch {
	case percentile > 0 && italian:
		return fmt.Sprintf("Il %d %%", percentile)
	case percentile > 0:
		return fmt.Sprintf("%d%%", percentile)
	case italian:
		return "Meno dell’1 %"
	}
	return "Less than 1%"
}

// moneyIT writes 1.234,50 € with a space that no line breaks at.
func moneyIT(c fare.Cents) string {
	return grouped(int64(c)/100, ".") + fmt.Sprintf(",%02d\u00a0€", int64(c)%100)
}

// moneyEN writes €1,234.50.
func moneyEN(c fare.Cents) string {
	return "€" + grouped(int64(c)/100, ",") + fmt.Sprintf(".%02d", int64(c)%100)
}

func grouped(n int64, by string) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + by + s[i:]
	}
	return s
}

var weekdays = [...]string{"domenica", "lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato"}

func dayIT(d fare.Day) string {
	t := d.Time()
	date, _, _ := strings.Cut(Moment(t, Italian), ",")
	return weekdays[t.Weekday()] + " " + date
}

func dayEN(d fare.Day) string { return d.Time().Format("Monday 2 January 2006") }
