package mail

import (
	"errors"
	"fmt"
	htmltemplate "html/template"
	"net/url"
	"strings"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/text/i18n"
)

// KeyTag is the Tag of mails that bring a key.
const KeyTag = "key"

// Key is what a mail with a Pro key tells.
type Key struct {
	To    string
	Lang  string // the code of a language of i18n; empty where the reader's is not known: then in two, see fill
	Key   string // as apikey.Mint gives it
	Until time.Time
	// BaseURL is where the service answers: https, or http on this machine, a slash at its end or not.
	BaseURL string
	Path    string // where the mail's link leads, below BaseURL: to undo a recovery, or to confirm one
	// Stop is where mails like this are stopped, the whole address; empty where nobody but the reader can cause it.
	Stop    string
	Support string // address to ask for help; empty: the answer to this mail
}

// KeyMail writes the mail that brings the key of a plan that was just paid for.
// The key is in the body only, never in a header.
func KeyMail(k Key) (Message, error) { return planMail(k, "key") }

// RecoverMail writes the mail that brings a fresh key to whoever asked for one.
// Its link leads to where the key before is brought back.
func RecoverMail(k Key) (Message, error) { return planMail(k, "recover") }

// ExtendedMail writes the mail that tells the owner of a key that a payment
// lengthened the plan. It holds no key.
func ExtendedMail(k Key) (Message, error) { return planMail(k, "extended") }

// OfferMail writes the mail that asks to confirm a recovery. It holds no key.
func OfferMail(k Key) (Message, error) { return planMail(k, "offer") }

// ManageMail writes the mail with a link to somebody's own plan. It holds no key.
func ManageMail(k Key) (Message, error) { return planMail(k, "manage") }

// MoveMail writes the mail that asks an address whether a plan is to be its own. It holds no key.
func MoveMail(k Key) (Message, error) { return planMail(k, "move") }

// MovedMail writes the mail that tells an address that its plan has another one now. It holds no key.
func MovedMail(k Key) (Message, error) { return planMail(k, "moved") }

// planMail writes a mail about a plan: subject and paragraphs are the texts mail.NAME of the
// catalogue. Those of a key are the same, whether somebody paid for it or asked for it.
func planMail(k Key, name string) (Message, error) {
	v := &keyView{Key: k, Name: name, Recovered: name == "recover"}
	m := Message{To: k.To, Unsubscribe: k.Stop, Tag: KeyTag}
	template := "notice"
	var err error
	switch name {
	case "key", "recover":
		v.Name, template, m.Unsubscribe = "key", "key", ""
		if _, ok := apikey.Parse(k.Key); !ok {
			err = errors.New("the key is not one")
		} else if v.Recovered && k.Path == "" {
			err = errors.New("no link to undo the recovery")
		}
	case "extended": // which has more to say
		template = name
	}
	if err == nil {
		err = v.fill()
	}
	if err == nil {
		m.Subject = v.Subject
		m.Text, m.HTML, err = bodies(template, v)
	}
	if err != nil {
		return Message{}, fmt.Errorf("write mail about a plan: %w", err)
	}
	return m, nil
}

// Title, Lede, Open, Terms and NotYou are what a mail with a link says: the texts mail.NAME of the catalogue.
func (s keySection) Title() htmltemplate.HTML  { return s.T.HTML("mail." + s.Name + ".subject") }
func (s keySection) Lede() htmltemplate.HTML   { return s.T.HTML("mail." + s.Name + ".lede") }
func (s keySection) Open() htmltemplate.HTML   { return s.T.HTML("mail." + s.Name + ".open") }
func (s keySection) Terms() htmltemplate.HTML  { return s.T.HTML("mail." + s.Name + ".terms") }
func (s keySection) NotYou() htmltemplate.HTML { return s.T.HTML("mail." + s.Name + ".not_you") }

type keyView struct {
	Key
	Name      string // of what the mail says
	Recovered bool
	Subject   string
	Sections  []keySection
}

type keySection struct {
	*keyView
	T *i18n.Language
}

// SupportLink is the address to ask for help as HTML.
func (v keyView) SupportLink() htmltemplate.HTML {
	address := htmltemplate.HTMLEscapeString(v.Support)
	return htmltemplate.HTML(`<a href="mailto:` + address + `">` + address + `</a>`)
}

// GuardLink is the page on which the owner guards the key, as HTML.
func (v keyView) GuardLink() htmltemplate.HTML {
	address := htmltemplate.HTMLEscapeString(v.BaseURL + "/v1/pro/gestione")
	return htmltemplate.HTML(`<a href="` + address + `">` + address + `</a>`)
}

// fill checks what the mail says, and writes it in the reader's language.
func (v *keyView) fill() (err error) {
	k := v.Key
	if v.To, err = ParseAddress(k.To); err != nil {
		return err
	}
	if k.Support != "" {
		if v.Support, err = ParseAddress(k.Support); err != nil {
			return fmt.Errorf("support: %w", err)
		}
	}
	if k.Until.IsZero() {
		return errors.New("no end of the plan")
	}
	base, err := url.Parse(k.BaseURL)
	if err != nil {
		return errors.New("base URL: not a URL")
	}
	if err := errors.Join(secure(base), only(k.BaseURL, ":/.-_[]")); err != nil {
		return fmt.Errorf("base URL: %w", err)
	}
	if err := only(k.Path, "/?=.-_"); err != nil {
		return fmt.Errorf("path of the link: %w", err)
	}
	if k.Stop != "" {
		if err := checkLink(k.Stop); err != nil {
			return err
		}
	}
	v.BaseURL = strings.TrimRight(k.BaseURL, "/")
	// Whose language is not known is written to in the one that everybody is
	// answered in who asks for none, and in English: all of them were too long to read.
	languages := []*i18n.Language{i18n.Default(), i18n.English()}
	if k.Lang != "" {
		language, err := languageOf(k.Lang)
		if err != nil {
			return err
		}
		languages = []*i18n.Language{language}
	}
	var subjects []string
	for _, l := range languages {
		subjects = append(subjects, l.Text("mail."+v.Name+".subject"))
		v.Sections = append(v.Sections, keySection{v, l})
	}
	v.Subject = strings.Join(subjects, " / ")
	return nil
}

func languageOf(code string) (*i18n.Language, error) {
	l, ok := i18n.Find(code)
	if !ok {
		return nil, fmt.Errorf("language %q is not known", code)
	}
	return l, nil
}
