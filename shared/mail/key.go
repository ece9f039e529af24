package mail

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"net/url"
	"strings"
	"sync"
	texttemplate "text/template"
	"time"

	"verdetto/shared/apikey"
)

// KeyTag is the Tag of mails that bring a key.
const KeyTag = "key"

// Languages of the mails that are written here.
const (
	Italian = "it"
	English = "en"
)

// Key is what a mail with a Pro key tells.
type Key struct {
	To    string
	Lang  string // Italian or English; empty for both, Italian first
	Key   string // as apikey.Mint gives it
	Until time.Time
	// BaseURL is where the service answers: https, or http on this machine, a slash at its end or not.
	BaseURL string
	Support string // address to ask for help; empty: the answer to this mail
}

// KeyMail writes the mail that brings the key of a plan that was just paid for.
// The key is in the body only, never in a header.
func KeyMail(k Key) (Message, error) { return keyMail(k, false) }

// RecoverMail writes the mail that brings a fresh key to whoever asked for one.
func RecoverMail(k Key) (Message, error) { return keyMail(k, true) }

//go:embed key.txt.tmpl key.html.tmpl
var templates embed.FS

// Read when the first mail is written: most starts of a function end without one.
var (
	keyText = sync.OnceValue(func() *texttemplate.Template {
		return texttemplate.Must(texttemplate.ParseFS(templates, "key.txt.tmpl"))
	})
	keyHTML = sync.OnceValue(func() *htmltemplate.Template {
		return htmltemplate.Must(htmltemplate.ParseFS(templates, "key.html.tmpl"))
	})
)

// keyView is what the templates see.
type keyView struct {
	Key
	Recovered        bool
	UntilIT, UntilEN string
	Subject          string
	Langs            []string
}

func keyMail(k Key, recovered bool) (Message, error) {
	v, err := view(k, recovered)
	if err != nil {
		return Message{}, fmt.Errorf("write mail with a key: %w", err)
	}
	var text, html bytes.Buffer
	if err := keyText().ExecuteTemplate(&text, "key.txt.tmpl", v); err != nil {
		return Message{}, fmt.Errorf("write mail with a key: %w", err)
	}
	if err := keyHTML().ExecuteTemplate(&html, "key.html.tmpl", v); err != nil {
		return Message{}, fmt.Errorf("write mail with a key: %w", err)
	}
	return Message{To: k.To, Subject: v.Subject, Text: text.String(), HTML: html.String(), Tag: KeyTag}, nil
}

func view(k Key, recovered bool) (keyView, error) {
	v := keyView{Key: k, Recovered: recovered}
	var err error
	if v.To, err = ParseAddress(k.To); err != nil {
		return v, err
	}
	if k.Support != "" {
		if v.Support, err = ParseAddress(k.Support); err != nil {
			return v, fmt.Errorf("support: %w", err)
		}
	}
	if _, ok := apikey.Parse(k.Key); !ok {
		return v, errors.New("the key is not one")
	}
	if k.Until.IsZero() {
		return v, errors.New("no end of the plan")
	}
	base, err := url.Parse(k.BaseURL)
	if err != nil {
		return v, errors.New("base URL: not a URL")
	}
	if err := errors.Join(secure(base), only(k.BaseURL, ":/.-_[]")); err != nil {
		return v, fmt.Errorf("base URL: %w", err)
	}
	v.BaseURL = strings.TrimRight(k.BaseURL, "/")
	v.UntilIT, v.UntilEN = Moment(k.Until, Italian), Moment(k.Until, English)
	switch k.Lang {
	case Italian:
		v.Langs, v.Subject = []string{Italian}, "La tua chiave Verdetto Pro"
	case English:
		v.Langs, v.Subject = []string{English}, "Your Verdetto Pro key"
	case "":
		v.Langs, v.Subject = []string{Italian, English}, "La tua chiave Verdetto Pro / Your Verdetto Pro key"
	default:
		return v, fmt.Errorf("language %q is not known", k.Lang)
	}
	return v, nil
}

var months = [...]string{"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno",
	"luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"}

// Moment is a time as it is said in a language.
func Moment(t time.Time, lang string) string {
	t = t.UTC()
	if lang != Italian {
		return t.Format("2 January 2006, 15:04 UTC")
	}
	first := ""
	if t.Day() == 1 {
		first = "º"
	}
	return fmt.Sprintf("%d%s %s %d, ore %s UTC", t.Day(), first, months[t.Month()-1], t.Year(), t.Format("15:04"))
}
