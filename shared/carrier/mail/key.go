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

const KeyTag = "key"

type Key struct {
	To    string
	Lang  string // language code; empty if unknown, see fill
	Key   string // as returned by apikey.Mint
	Until time.Time
	// BaseURL is the public address of the service: https, or http on this machine.
	BaseURL string
	Path    string // of the mail's link below BaseURL: undoes or confirms a recovery
	// Stop is the link that stops mails which any caller can cause. It is empty if only the reader
	// can cause this mail.
	Stop    string
	Support string // address for help; empty: reply to this mail
}

// KeyMail writes the mail with the key of a plan that was just bought. The key is only in the body,
// never in a header.
func KeyMail(k Key) (Message, error) { return planMail(k, "key") }

// RecoverMail writes the mail with a new key that a caller requested. Its link restores the
// previous key.
func RecoverMail(k Key) (Message, error) { return planMail(k, "recover") }

// ExtendedMail says that a payment extended the plan. It holds no key.
func ExtendedMail(k Key) (Message, error) { return planMail(k, "extended") }

// OfferMail asks to confirm a recovery. It holds no key.
func OfferMail(k Key) (Message, error) { return planMail(k, "offer") }

// ManageMail has a link to the page of the reader's plan. It holds no key.
func ManageMail(k Key) (Message, error) { return planMail(k, "manage") }

// MoveMail asks a new address to confirm the move of a plan. It holds no key.
func MoveMail(k Key) (Message, error) { return planMail(k, "move") }

// MovedMail tells the former address that its plan has moved. It holds no key.
func MovedMail(k Key) (Message, error) { return planMail(k, "moved") }

// planMail writes a mail about a plan from the texts mail.NAME of the catalogue. Mails with a
// bought and with a recovered key share their texts.
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
	case "extended": // a longer text
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

// Title, Lede, Open, Terms and NotYou return the texts of a mail with a link.
func (s keySection) Title() htmltemplate.HTML  { return s.T.HTML("mail." + s.Name + ".subject") }
func (s keySection) Lede() htmltemplate.HTML   { return s.T.HTML("mail." + s.Name + ".lede") }
func (s keySection) Open() htmltemplate.HTML   { return s.T.HTML("mail." + s.Name + ".open") }
func (s keySection) Terms() htmltemplate.HTML  { return s.T.HTML("mail." + s.Name + ".terms") }
func (s keySection) NotYou() htmltemplate.HTML { return s.T.HTML("mail." + s.Name + ".not_you") }

type keyView struct {
	Key
	Name      string // prefix of its texts in the catalogue
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
	// If the reader's language is unknown, the mail is in the default language and in English. All
	// languages would be too long to read.
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
