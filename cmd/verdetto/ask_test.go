package main

import (
	"strings"
	"testing"
	"unicode"

	"verdetto/shared/text/i18n"
)

func FuzzReply(f *testing.F) {
	for _, body := range []string{
		`{}`, `null`, `[]`, `{"verdetto":{"livello":"buono"}}`, `{"ambito":"mese","verdetto":{"livello":"buono"}}`,
		`{"verdetto":{"livello":"buono"},"origineIata":"\u001b]0;x\u0007","valuta":"\u009b2J","prezzo":{"cent":1}}`,
		`{"ambito":"rotta","verdetto":{"livello":"buono","percentile":5,"campione":9},"prezzo":{"cent":9223372036854775807},
			"quartili":{"minimoCent":-9223372036854775808,"q1Cent":1,"medianaCent":2,"q3Cent":3,"massimoCent":4}}`,
	} {
		f.Add(body, "2027-01")
		f.Add(body, "")
	}
	f.Fuzz(func(t *testing.T, body, asked string) {
		var text strings.Builder
		err := reply{language: i18n.English(), asked: asked}.write(&text, pen{width: 60}, []byte(body))
		if body == "{}" && err == nil {
			t.Error("an answer without a verdict is accepted")
		}
		if at := strings.IndexFunc(text.String(), func(r rune) bool { return r != '\n' && unicode.IsControl(r) }); at >= 0 {
			t.Errorf("control character in %q", text.String())
		}
	})
}

func TestInquiry_ReadDays(t *testing.T) {
	for _, c := range []struct{ language, depart, back, want string }{
		{"en", "2027-01-13", "", "2027-01-13 "},
		{"de", "13.1.2027", "Sonntag", "2027-01-13 2027-01-17"},
		{"en", "1/13/2027", "3 Feb 2027", "2027-01-13 2027-02-03"},
		{"it", "30 febbraio", "", "-depart: The calendar has no such day: “30 febbraio”."},
		{"en", "2027-01-13", "later", "-return: We cannot read “later” as a day."},
	} {
		q := inquiry{values: map[string]*string{"partenza": &c.depart, "ritorno": &c.back}}
		depart, back := c.depart, c.back
		read, err := q.readDays(i18n.ForCode(c.language), 0)
		got := c.depart + " " + c.back
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, %v, want %s", depart, got, err, c.want)
		}
		if output := strings.Join(read, "\n"); err == nil && strings.Contains(output, depart) == (c.depart == depart) ||
			back != "" && err == nil && !strings.Contains(output, back) {
			t.Errorf("%s %s: says %q", depart, back, output)
		}
	}
}

func TestLocaleLanguage(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, "en"},
		{map[string]string{"LANG": "de_AT.UTF-8"}, "de"},
		{map[string]string{"LANG": "it_IT.UTF-8", "LC_ALL": "fr_FR@euro"}, "fr"},
		{map[string]string{"LANG": "it", "LC_MESSAGES": "es.UTF-8"}, "es"},
		{map[string]string{"LANG": "it_IT.UTF-8", "LC_ALL": "C.UTF-8"}, "en"},
		{map[string]string{"LANG": "sv_SE.UTF-8"}, "en"},
	} {
		if got := localeLanguage(func(name string) string { return c.env[name] }); got.Code != c.want {
			t.Errorf("%v: %s, want %s", c.env, got.Code, c.want)
		}
	}
}
