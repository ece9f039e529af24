package mail

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"mime"
	netmail "net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func composer(t testing.TB, from string) *Composer {
	t.Helper()
	c, err := NewComposer(from, func() time.Time { return time.Date(2026, 3, 1, 8, 5, 0, 0, time.FixedZone("", 3600)) })
	if err != nil {
		t.Fatal(err)
	}
	c.random = endless(0xab)
	return c
}

func whole() Message {
	return Message{
		To: "ada@example.com", Subject: "Milano → Bucarest: 39 €, così economico non era da più di un anno",
		Text: "Ciao Ada,\n\nè più economico del 92 % dei giorni.\n.\nFrom here = there\n" +
			strings.Repeat("lungo ", 40) + "\n",
		HTML: `<p>Ciao <b>Ada</b>, è economico.</p><img src="cid:prezzi.1@verdetto" alt="">`,
		Inline: []Attachment{
			{ContentID: "prezzi.1@verdetto", ContentType: "image/png", Name: "prezzi più bassi.png",
				Data: bytes.Repeat([]byte{0, 1, 255}, 100)},
			{ContentID: "due", ContentType: "image/svg+xml", Data: nil},
		},
		Unsubscribe: "https://verdetto.example/api/v1/alerts/unsubscribe?token=abc-DEF_123",
		Tag:         "alert",
	}
}

func TestCompose(t *testing.T) {
	plain := Message{To: "ada@example.com", Subject: "Hello", Text: "Hello."}
	both := plain
	both.HTML = "<p>Hello."
	for _, c := range []struct {
		name, from string
		message    Message
	}{
		{"text", "verdetto@verdetto.example", plain},
		{"alternatives", "Verdetto <verdetto@verdetto.example>", both},
		{"whole", `"Verdetto, già «caro»" <verdetto@verdetto.example>`, whole()},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := composer(t, c.from).Compose(c.message)
			if err != nil {
				t.Fatal(err)
			}
			wellFormed(t, got)
			golden(t, c.name+".eml", bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")))
		})
	}
}

func wellFormed(t *testing.T, raw []byte) *netmail.Message {
	t.Helper()
	for line := range bytes.SplitSeq(raw, []byte("\r\n")) {
		if len(line) > 998 || bytes.ContainsAny(line, "\r\n\x00") {
			t.Errorf("line %.80q of %d bytes", line, len(line))
		}
		if bytes.Contains(line, []byte(" =?utf-8?b?")) && len(line) > 76 {
			t.Errorf("line %.80q has an encoded word and %d bytes", line, len(line))
		}
	}
	for _, c := range raw {
		if c > '~' {
			t.Fatalf("byte %x is not ASCII", c)
		}
	}
	read, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("read again: %v", err)
	}
	allowed := []string{"Date", "From", "To", "Subject", "Message-Id", "Mime-Version", "Auto-Submitted",
		"List-Unsubscribe", "List-Unsubscribe-Post", "Content-Type", "Content-Transfer-Encoding"}
	for key, values := range read.Header {
		if !slices.Contains(allowed, key) || len(values) != 1 {
			t.Errorf("header %s is there with %d values", key, len(values))
		}
	}
	return read
}

func TestComposeRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Message)
	}{
		{"line feed in the subject", func(m *Message) { m.Subject = "a\nBcc: bob@example.com" }},
		{"carriage return in the subject", func(m *Message) { m.Subject = "a\rb" }},
		{"NUL in the subject", func(m *Message) { m.Subject = "a\x00b" }},
		{"next line (C1) in the subject", func(m *Message) { m.Subject = "a\u0085b" }},
		{"line separator in the subject", func(m *Message) { m.Subject = "a\u2028b" }},
		{"broken UTF-8 in the subject", func(m *Message) { m.Subject = "a\xff" }},
		{"subject too long", func(m *Message) { m.Subject = strings.Repeat("a", MaxSubject+1) }},
		{"no subject", func(m *Message) { m.Subject = " " }},
		{"no text", func(m *Message) { m.Text = "" }},
		{"broken UTF-8 in the text", func(m *Message) { m.Text = "\xff" }},
		{"broken UTF-8 in the HTML", func(m *Message) { m.HTML = "\xff" }},
		{"second address", func(m *Message) { m.To = "ada@example.com, bob@example.com" }},
		{"header in the address", func(m *Message) { m.To = "ada@example.com\r\nBcc: bob@example.com" }},
		{"no address", func(m *Message) { m.To = "" }},
		{"header in the tag", func(m *Message) { m.Tag = "a\r\nX: y" }},
		{"space in the tag", func(m *Message) { m.Tag = "a b" }},
		{"tag too long", func(m *Message) { m.Tag = strings.Repeat("a", maxTag+1) }},
		{"header in the unsubscribe address", func(m *Message) { m.Unsubscribe += "\r\nBcc: bob@example.com" }},
		{"bracket in the unsubscribe address", func(m *Message) { m.Unsubscribe += ">,<mailto:bob@example.com" }},
		{"unsubscribe by mail only", func(m *Message) { m.Unsubscribe = "mailto:bob@example.com" }},
		{"unsubscribe without encryption", func(m *Message) { m.Unsubscribe = "http://verdetto.example/x" }},
		{"unsubscribe nowhere", func(m *Message) { m.Unsubscribe = "https:///x" }},
		{"unsubscribe address too long", func(m *Message) { m.Unsubscribe += strings.Repeat("a", maxURL) }},
		{"inline parts without HTML", func(m *Message) { m.HTML = "" }},
		{"content id twice", func(m *Message) { m.Inline[1].ContentID = m.Inline[0].ContentID }},
		{"no content id", func(m *Message) { m.Inline[0].ContentID = "" }},
		{"header in the content id", func(m *Message) { m.Inline[0].ContentID = "a>\r\nX: y" }},
		{"header in the content type", func(m *Message) { m.Inline[0].ContentType = "image/png\r\nX: y" }},
		{"content type without a subtype", func(m *Message) { m.Inline[0].ContentType = "image" }},
		{"content type with parameters", func(m *Message) { m.Inline[0].ContentType = "image/png; x=y" }},
		{"header in the file name", func(m *Message) { m.Inline[0].Name = "a\r\nX: y" }},
		{"NUL in the file name", func(m *Message) { m.Inline[0].Name = "a\x00" }},
		{"file name too long", func(m *Message) { m.Inline[0].Name = strings.Repeat("a", maxName+1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := whole()
			c.change(&m)
			if got, err := composer(t, "v@verdetto.example").Compose(m); !errors.Is(err, ErrRefused) || got != nil {
				t.Errorf("wrote %d bytes, error %v; want ErrRefused", len(got), err)
			}
		})
	}
	t.Run("no random bytes", func(t *testing.T) {
		c := composer(t, "v@verdetto.example")
		c.random = strings.NewReader("")
		if _, err := c.Compose(whole()); !errors.Is(err, ErrBlocked) || !errors.Is(err, ErrThrottled) {
			t.Errorf("error %v, want ErrBlocked, which is an ErrThrottled", err)
		}
	})
}

func TestNewComposer(t *testing.T) {
	for _, c := range []struct{ name, from, want string }{
		{"bare", "v@verdetto.example", "<v@verdetto.example>"},
		{"named", "Verdetto <v@Verdetto.example>", "Verdetto <v@verdetto.example>"},
		{"quoted", `"Verdetto, Inc." <v@verdetto.example>`, "=?utf-8?b?VmVyZGV0dG8sIEluYy4=?= <v@verdetto.example>"},
		{"another script", "Già <v@verdetto.example>", "=?utf-8?b?R2nDoA==?= <v@verdetto.example>"},
		{"line feed", "a\n <v@verdetto.example>", ""},
		{"encoded line feed", "=?utf-8?q?a=0AX:?= <v@verdetto.example>", ""},
		{"no domain", "v@localhost", ""},
		{"nothing", "", ""},
		{"name too long", strings.Repeat("a", maxName+1) + " <v@verdetto.example>", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := NewComposer(c.from, time.Now)
			if (err == nil) != (c.want != "") {
				t.Fatalf("error %v", err)
			}
			if err == nil && (sender(got.from.Name, got.From()) != c.want) {
				t.Errorf("sender is %s, want %s", sender(got.from.Name, got.From()), c.want)
			}
		})
	}
}

func TestMessageIDs(t *testing.T) {
	c, err := NewComposer("v@verdetto.example", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 100 {
		raw, err := c.Compose(whole())
		if err != nil {
			t.Fatal(err)
		}
		seen[wellFormed(t, raw).Header.Get("Message-Id")] = true
	}
	if len(seen) != 100 {
		t.Errorf("100 messages have %d ids", len(seen))
	}
}

func FuzzCompose(f *testing.F) {
	f.Add("ada@example.com", "Hello", "text", "<p>html", "https://x.example/", "a.png")
	f.Add("ada@example.com", "=?utf-8?q?a=0D=0AX:_y?=", "a\r\n.\r\n=\x00", "", "", "")
	f.Add("ada@example.com", strings.Repeat("è ", 80), "--=_r", "--=_r", "https://x.example/a,b", "=?utf-8?q?a?=")
	f.Add("ada@example.com", "  two  spaces ", "t", "h", "", "a;b\"c\\.png")
	f.Fuzz(func(t *testing.T, to, subject, text, html, unsubscribe, name string) {
		m := Message{To: to, Subject: subject, Text: text, HTML: html, Unsubscribe: unsubscribe}
		if html != "" {
			m.Inline = []Attachment{{ContentID: "a", ContentType: "image/png", Name: name, Data: []byte(text)}}
		}
		raw, err := composer(t, "Verdetto <v@verdetto.example>").Compose(m)
		if err != nil {
			if !errors.Is(err, ErrRefused) {
				t.Errorf("error %v", err)
			}
			return
		}
		read := wellFormed(t, raw)
		got, err := new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
		if err != nil || got != subject {
			t.Errorf("subject %q, %v; want %q", got, err, subject)
		}
		list, err := read.Header.AddressList("To")
		if err != nil || len(list) != 1 || !strings.EqualFold(list[0].Address, to) {
			t.Errorf("to %v, %v; want %q", list, err, to)
		}
		if unsubscribe != "" && read.Header.Get("List-Unsubscribe") != "<"+unsubscribe+">" {
			t.Errorf("unsubscribe %q", read.Header.Get("List-Unsubscribe"))
		}
		if _, err := io.Copy(io.Discard, read.Body); err != nil {
			t.Error(err)
		}
	})
}
