package mail

import (
	"errors"
	netmail "net/mail"
	"strings"
	"testing"

	"golang.org/x/text/width"
)

func TestParseAddress(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, c := range []struct{ name, in, want string }{
		{"plain", "ada@example.com", "ada@example.com"},
		{"domain in lower case, local part as it is", "Ada.L@Example.COM", "Ada.L@example.com"},
		{"plus", "ada+voli@example.com", "ada+voli@example.com"},
		{"apostrophe", "o'brien@example.ie", "o'brien@example.ie"},
		{"every character of an atom", "!#$%&'*+-/?=^_`{|}~@example.com", "!#$%&'*+-/?=^_`{|}~@example.com"},
		{"equals signs", "=b=.==ada=example.org=@example.com", "=b=.==ada=example.org=@example.com"},
		{"digits", "1@2.example", "1@2.example"},
		{"another script as xn--", "ada@xn--mller-kva.example", "ada@xn--mller-kva.example"},
		{"top-level domain in another script", "ada@example.xn--p1ai", "ada@example.xn--p1ai"},
		{"spaces around", " ada@example.com ", "ada@example.com"},
		{"tab, no-break space and line feed around", "\t\u00a0ada@example.com\n", "ada@example.com"},
		{"umlaut in the domain", "ada@münchen.de", "ada@xn--mnchen-3ya.de"},
		{"umlaut, composed and in capitals", "Ada@MU\u0308NCHEN.DE", "Ada@xn--mnchen-3ya.de"},
		{"accent in the domain", "ada@città.example", "ada@xn--citt-3na.example"},
		{"sharp s", "ada@straße.de", "ada@xn--strae-oqa.de"},
		{"cyrillic domain", "ada@почта.рф", "ada@xn--80a1acny.xn--p1ai"},
		{"greek subdomain", "ada@ταχυδρομείο.example.gr", "ada@xn--kxadje8ardlylv.example.gr"},
		{"japanese domain and full stop", "ada@例え。jp", "ada@xn--r8jz45g.jp"},
		{"tilde", "ada@são-paulo.com.br", "ada@xn--so-paulo-rza.com.br"},
		{"longest local part", long + "a@example.com", long + "a@example.com"},
		{"longest label", "ada@" + long + ".com", "ada@" + long + ".com"},
		{"longest address", long + "@" + long + "." + long + "." + long[:59] + ".it",
			long + "@" + long + "." + long + "." + long[:59] + ".it"},

		{"encoded word", "=?utf-8?q?Bcc=3A?=@example.com", ""},
		{"encoded word in base64", "=?utf-8?b?QmNjOg==?=@example.com", ""},
		{"encoded word after a dot", "ada.=?utf-8?q?x?=@example.com", ""},
		{"encoded word within", "ada=?iso-8859-1?q?x?=l@example.com", ""},
		{"encoded word with a language", "=?us-ascii*en?q?x?=@example.com", ""},
		{"beginning of an encoded word", "=?@example.com", ""},
		{"nothing", "", ""},
		{"no @", "ada.example.com", ""},
		{"two @", "ada@example@example.com", ""},
		{"nothing before the @", "@example.com", ""},
		{"nothing after it", "ada@", ""},
		{"dot first", ".ada@example.com", ""},
		{"dot last", "ada.@example.com", ""},
		{"two dots", "a..da@example.com", ""},
		{"quotes that change nothing", `"ada"@example.com`, "ada@example.com"},
		{"quotes around", ` "ada@example.com" `, "ada@example.com"},
		{"typographic quotes around", "“ada@example.com”", "ada@example.com"},
		{"quotes around two", `"ada@example.com", "bob@example.com"`, ""},
		{"apostrophes around", "'ada@example.com'", "ada@example.com"},
		{"apostrophe at the start", "'ada@example.com", "'ada@example.com"},
		{"fullwidth @", "ada＠example.com", "ada@example.com"},
		{"fullwidth letters and full stop", "ａｄａ@example．ｃｏｍ", "ada@example.com"},
		{"ideographic full stop", "ada@example。com", "ada@example.com"},
		{"halfwidth ideographic full stop", "ada@example｡com", "ada@example.com"},
		{"spaces at the @", "ada @ example.com", "ada@example.com"},
		{"no-break space at the @", "ada@\u00a0example.com", "ada@example.com"},
		{"line feed at the @", "ada@\nexample.com", ""},
		{"quoted space", `"ada l"@example.com`, ""},
		{"backslash", `a\da@example.com`, ""},
		{"comma", "ada,bob@example.com", ""},
		{"two addresses", "ada@example.com,bob@example.com", ""},
		{"display name", "Ada <ada@example.com>", "ada@example.com"},
		{"brackets", " <ada@example.com> ", "ada@example.com"},
		{"two in brackets", "<ada@example.com>, <bob@example.com>", ""},
		{"scheme", "MailTo:ada@example.com?subject=x", "ada@example.com"},
		{"scheme alone", "mailto:", ""},
		{"comment", "ada@example.com(Ada)", ""},
		{"comment before", "(Ada)ada@example.com", ""},
		{"group", "friends:ada@example.com;", ""},
		{"route", "@a.example:ada@example.com", ""},
		{"space inside", "a da@example.com", ""},
		{"space inside the domain", "ada@example .com", ""},
		{"line feed", "ada@example.com\nBcc: bob@example.com", ""},
		{"carriage return", "ada@example.com\rBcc: bob@example.com", ""},
		{"NUL", "ada\x00@example.com", ""},
		{"DEL", "ada\x7f@example.com", ""},
		{"accent before the @", "adà@example.com", ""},
		{"long s", "ada@example.\u017fe", ""},
		{"Kelvin sign", "ada@\u212a.example", ""},
		{"no dot in the domain", "ada@localhost", ""},
		{"dot at the end", "ada@example.com.", "ada@example.com"},
		{"dot at the start", "ada@.example.com", ""},
		{"two dots in the domain", "ada@example..com", ""},
		{"hyphen first", "ada@-example.com", ""},
		{"hyphen last", "ada@example-.com", ""},
		{"underscore", "ada@ex_ample.com", ""},
		{"IP address", "ada@192.0.2.1", ""},
		{"IP literal", "ada@[192.0.2.1]", ""},
		{"one-letter top-level domain", "ada@example.c", ""},
		{"local part too long", long + "ab@example.com", ""},
		{"label too long", "ada@" + long + "a.com", ""},
		{"address too long", long + "@" + long + "." + long + "." + long[:60] + ".it", ""},
		{"broken UTF-8", "ada\xff@example.com", ""},
		{"10 MB", strings.Repeat("a", 10<<20) + "@example.com", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseAddress(c.in)
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("read as %q, %v; want %q", got, err, c.want)
			}
			if err != nil && !errors.Is(err, ErrAddress) {
				t.Errorf("error %v is not ErrAddress", err)
			}
			if err != nil && strings.Contains(err.Error(), "ada") {
				t.Errorf("error %v repeats what was given", err)
			}
		})
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"ada@example.com", "A@b.cd", `"a"@b.cd`, "a@b", "a@[::1]", "Ada <ada@example.com>",
		"a(b)@c.de", "a@b.cd\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := ParseAddress(s)
		if err != nil {
			if got != "" {
				t.Errorf("%q: an error and %q", s, got)
			}
			return
		}
		if local, _, _ := strings.Cut(got, "@"); !strings.Contains(width.Fold.String(s), local) {
			t.Errorf("%q became %q", s, got)
		}
		if again, err := ParseAddress(got); err != nil || again != got {
			t.Errorf("%q is read again as %q, %v", got, again, err)
		}
		if len(got) > maxAddress || strings.ContainsAny(got, " \t\r\n\x00<>()\",;:\\") || strings.Count(got, "@") != 1 {
			t.Errorf("%q was let through", got)
		}
		if list, err := netmail.ParseAddressList(got); err != nil || len(list) != 1 || list[0].Address != got {
			t.Errorf("%q is the list %v, %v", got, list, err)
		}
	})
}
