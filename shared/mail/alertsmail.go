package mail

import (
	"errors"
	"fmt"
	"net/url"

	"verdetto/shared/i18n"
)

// AlertsTag is the Tag of mails that bring a link to the list of alerts.
const AlertsTag = "alerts"

// AlertsLink is what a mail that brings a link to the list of alerts tells.
type AlertsLink struct {
	To   string
	Lang string // the code of a language of i18n
	Days int    // that the link is good
	Link string // to the list: https, or http on this machine
}

// AlertsMail writes the mail that brings a subscriber a fresh link to the list of
// their alerts. They have asked for it, and it is all that is sent for asking.
func AlertsMail(m AlertsLink) (Message, error) {
	v := alertsView{AlertsLink: m}
	to, err := ParseAddress(m.To)
	if err == nil && m.Days <= 0 {
		err = errors.New("a link that is good for no day")
	}
	if err == nil {
		err = checkLink(m.Link)
	}
	if err == nil {
		v.T, err = languageOf(m.Lang)
	}
	if err != nil {
		return Message{}, fmt.Errorf("write mail that brings a link: %w", err)
	}
	v.To, v.Subject = to, v.T.Text("mail.alerts.subject")
	text, html, err := bodies("alerts", v)
	if err != nil {
		return Message{}, fmt.Errorf("write mail that brings a link: %w", err)
	}
	return Message{To: v.To, Subject: v.Subject, Text: text, HTML: html, Tag: AlertsTag}, nil
}

// alertsView is what the templates see.
type alertsView struct {
	AlertsLink
	T       *i18n.Language
	Subject string
}

// checkLink refuses what is no link of ours.
func checkLink(link string) error {
	u, err := url.Parse(link)
	if err != nil {
		return errors.New("link: not a URL")
	}
	if err := errors.Join(secure(u), only(link, ":/.-_[]?=&%")); err != nil {
		return fmt.Errorf("link: %w", err)
	}
	return nil
}
