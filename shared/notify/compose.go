package notify

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/i18n"
	"verdetto/shared/mail"
	"verdetto/shared/places"
	"verdetto/shared/store"
)

// notification is news on its way to everyone whom it concerns.
type notification struct {
	stored  store.Notification
	news    news
	history history
	picture mail.Picture
}

// open decodes what a refresh left, and draws its picture once for all mails.
func open(stored store.Notification) (*notification, error) {
	n := &notification{stored: stored}
	var faults [3]error
	n.news, faults[0] = decodeNews(stored.News)
	n.history, faults[1] = decodeHistory(stored.History)
	n.picture.PNG, faults[2] = drawPicture(n.news)
	n.picture.Width, n.picture.Height, n.picture.Weeks = pictureWidth, pictureHeight, weeks
	return n, errors.Join(faults[:]...)
}

// concerns tells whether the news is to be sent to an alert as it stands.
func (n *notification) concerns(a store.Alert) bool {
	notified := a.Mailed
	if a.Fresh && notified < n.stored.Day {
		notified = 0 // nothing was sent under the new threshold yet
	}
	return shouldNotify(a.Threshold, notified, n.history)
}

// mailTo writes the mail for a subscriber.
func (n *notification) mailTo(a store.Alert, links Links) (mail.Message, error) {
	lang := i18n.In(a.Language).Code
	found, route := n.news, n.news.Route
	return mail.AlertMail(mail.Alert{
		ID: messageID(a.Subscriber, route, found.Day), To: a.Email, Lang: lang,
		Origin: CityName(route.Origin, lang), Destination: CityName(route.Destination, lang),
		Price: found.Price, Depart: found.Depart, Found: time.Unix(found.Found, 0).UTC(),
		Level: found.Level, Reliability: found.Reliability, Percentile: found.Percentile, Sample: found.Sample,
		Median: found.Median, Minimum: found.Minimum, Threshold: a.Threshold, Picture: n.picture,
		Unsubscribe: links.BaseURL + links.Unsubscribe(a.Subscriber, route), Manage: links.BaseURL + links.Manage(a.Subscriber, found.Day.Time()),
	})
}

// confirmMail writes the mail that asks to confirm what was asked for under an id.
func confirmMail(pending store.Alert, id string, links Links) (mail.Message, error) {
	lang, route := i18n.In(pending.Language).Code, pending.Route
	return mail.ConfirmMail(mail.Confirm{
		To: pending.Email, Lang: lang, Threshold: pending.Threshold, Link: links.BaseURL + links.Confirm(id),
		Origin: CityName(route.Origin, lang), Destination: CityName(route.Destination, lang),
	})
}

// manageMail writes the mail that brings a fresh link to manage.
func manageMail(a store.Alert, links Links, now time.Time) (mail.Message, error) {
	return mail.AlertsMail(mail.AlertsLink{
		To: a.Email, Lang: i18n.In(a.Language).Code, Days: ManageDays, Link: links.BaseURL + links.Manage(a.Subscriber, now),
	})
}

// CityName is a city in a language, or its code where it has left the tables since.
func CityName(city fare.City, lang string) string {
	if name := places.Name(city, lang); name != "" {
		return name
	}
	return string(city)
}

// messageID is the same for the same news to the same subscriber, whichever process sends it.
func messageID(s store.SubscriberID, route fare.Route, day fare.Day) string {
	sum := sha256.Sum256([]byte("alert\x00" + string(s) + "\x00" + route.String() + "\x00" + day.String()))
	return fmt.Sprintf("%s-%s-%x", day.Time().Format("20060102"), route, sum[:16])
}
