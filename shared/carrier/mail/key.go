package mail

import (
	"errors"
	"fmt"
	htmltemplate "html/template"
	"strings"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/text/i18n"
)

const KeyTag = "key"

type Key struct {
	To      string
	Lang    string // language code; if empty, the mail is in the default language and in English
	Key     string
	Until   time.Time
	BaseURL string
	Path    string
	// Stop is the link that stops mails which strangers can cause. It may be empty.
	Stop    string
	Support string // address for help; if empty, the mail says that one can reply
}

// KeyMail puts the key into the body, never into a header.
func KeyMail(k Key) (Message, error) { return planMail(k, "key") }

// RecoverMail writes a mail with a new key and a link that restores the previous key.
func RecoverMail(k Key) (Message, error) { return planMail(k, "recover") }

func ExtendedMail(k Key) (Message, error) { return planMail(k, "extended") }

// OfferMail asks the owner of a plan to confirm a recovery.
func OfferMail(k Key) (Message, error) { return planMail(k, "offer") }

func ManageMail(k Key) (Message, error) { return planMail(k, "manage") }

// MoveMail asks the new address to confirm the move of a plan.
func MoveMail(k Key) (Message, error) { return planMail(k, "move") }

func MovedMail(k Key) (Message, error) { return planMail(k, "moved") }

func planMail(k Key, name string) (Message, error) {
	v, err := newKeyView(k, name)
	if err != nil {
		return Message{}, fmt.Errorf("write mail about a plan: %w", err)
	}
	m := Message{To: k.To, Subject: v.Subject, Unsubscribe: k.Stop, Tag: KeyTag}
	links := []string{v.BaseURL + k.Path}
	if k.Stop != "" {
		links = append(links, k.Stop)
	}
	switch name {
	case "key", "recover":
		m.Unsubscribe = ""
		return Write("key", m, links, v)
	case "extended":
		return Write(name, m, links, v)
	}
	return Write("notice", m, links, v)
}

func (s keySection) Title() htmltemplate.HTML  { return s.T.HTML("mail." + s.Name + ".subject") }
func (s keySection) Lede() htmltemplate.HTML   { return s.T.HTML("mail." + s.Name + ".lede") }
func (s keySection) Open() htmltemplate.HTML   { return s.T.HTML("mail." + s.Name + ".open") }
func (s keySection) Terms() htmltemplate.HTML  { return s.T.HTML("mail." + s.Name + ".terms") }
func (s keySection) NotYou() htmltemplate.HTML { return s.T.HTML("mail." + s.Name + ".not_you") }

type keyView struct {
	Key
	Name      string
	Recovered bool
	Subject   string
	Sections  []keySection
}

type keySection struct {
	*keyView
	T *i18n.Language
}

func (v keyView) SupportLink() htmltemplate.HTML {
	address := htmltemplate.HTMLEscapeString(v.Support)
	return htmltemplate.HTML(`<a href="mailto:` + address + `">` + address + `</a>`)
}

func newKeyView(k Key, name string) (v *keyView, err error) {
	v = &keyView{Key: k, Name: name, Recovered: name == "recover"}
	if name == "key" || name == "recover" {
		v.Name = "key"
		if _, ok := apikey.Parse(k.Key); !ok {
			return v, errors.New("the key is not one")
		}
	}
	if v.Recovered && k.Path == "" {
		return v, errors.New("no link to undo the recovery")
	}
	if k.Support != "" {
		if v.Support, err = ParseAddress(k.Support); err != nil {
			return v, fmt.Errorf("support: %w", err)
		}
	}
	if k.Until.IsZero() {
		return v, errors.New("no end of the plan")
	}
	if err := errors.Join(only(k.BaseURL, ":/.-_[]"), only(k.Path, "/?=.-_")); err != nil {
		return v, fmt.Errorf("link: %w", err)
	}
	v.BaseURL = strings.TrimRight(k.BaseURL, "/")
	languages := []*i18n.Language{i18n.Default(), i18n.English()}
	if k.Lang != "" {
		language, ok := i18n.Find(k.Lang)
		if !ok {
			return v, fmt.Errorf("language %q is not known", k.Lang)
		}
		languages = []*i18n.Language{language}
	}
	var subjects []string
	for _, l := range languages {
		subjects = append(subjects, l.Text("mail."+v.Name+".subject"))
		v.Sections = append(v.Sections, keySection{v, l})
	}
	v.Subject = strings.Join(subjects, " / ")
	return v, nil
}
