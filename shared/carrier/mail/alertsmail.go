package mail

import (
	"errors"
	"fmt"
	"html/template"
	"net/url"

	"verdetto/shared/text/i18n"
)

const AlertsTag = "alerts"

type AlertsLink struct {
	To   string
	Lang string
	Days int    // validity of the link
	Link string // https, or http on this machine
	Stop string // stops such mails; empty if only the reader can cause them
}

// AlertsMail writes the mail with a new link to the list of alerts, which any caller can request.
func AlertsMail(m AlertsLink) (Message, error) {
	return linkMail(alertsView{AlertsLink: m, Name: "alerts"})
}

// EndpointMail writes the mail that tells a subscriber that a webhook endpoint at a host accepts no
// more events.
func EndpointMail(m AlertsLink, host string) (Message, error) {
	return linkMail(alertsView{AlertsLink: m, Name: "endpoint", Host: host})
}

func linkMail(v alertsView) (Message, error) {
	m := Message{To: v.To, Unsubscribe: v.Stop, Tag: AlertsTag}
	return write("alerts", m, v.Lang, func(l *i18n.Language) (any, string, error) {
		if v.Days <= 0 {
			return v, "", errors.New("a link that is good for no day")
		}
		err := checkLink(v.Link)
		if v.Stop != "" {
			err = errors.Join(err, checkLink(v.Stop))
		}
		v.T = l
		v.Subject = v.text("subject")
		return v, v.Subject, err
	})
}

type alertsView struct {
	AlertsLink
	Name    string // prefix of its texts in the catalogue
	Host    string
	T       *i18n.Language
	Subject string
}

func (v alertsView) text(name string) string {
	return v.T.Text("mail."+v.Name+"."+name, "Host", v.Host)
}

// Heading, Who and Open return the texts in which the mails with a link differ. Plain is Who
// without HTML.
func (v alertsView) Heading() template.HTML { return v.html("heading") }
func (v alertsView) Who() template.HTML     { return v.html("who") }
func (v alertsView) Open() template.HTML    { return v.html("open") }
func (v alertsView) Plain() string          { return v.text("who") }

func (v alertsView) html(name string) template.HTML {
	return v.T.HTML("mail."+v.Name+"."+name, "Host", v.Host)
}

// IsRequested is false for a mail about an endpoint, which is sent without a request.
func (v alertsView) IsRequested() bool { return v.Host == "" }

// checkLink accepts https, and http on this machine.
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
