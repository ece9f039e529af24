package maildir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/carrier/mail"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func stopped() time.Time { return noon }

func open(t *testing.T, now func() time.Time) (*Sender, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a", "b")
	s, err := Open(dir, now)
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func read(t *testing.T, dir string) []Mail {
	t.Helper()
	all, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestComesBack(t *testing.T) {
	base := mail.Message{To: "Ada@example.com", Subject: "Ciao", Text: "Ciao.\n"}
	for _, c := range []struct {
		name   string
		change func(*mail.Message)
	}{
		{"text", func(*mail.Message) {}},
		{"no line end", func(m *mail.Message) { m.Text = "a" }},
		{"HTML", func(m *mail.Message) { m.HTML = "<p>Più = meno.\n" }},
		{"inline", func(m *mail.Message) {
			m.HTML = `<img src="cid:a">`
			m.Inline = []mail.Attachment{
				{ContentID: "a", ContentType: "image/png", Name: `più "caro".png`, Data: []byte{0, 255, '\n'}},
				{ContentID: "b", ContentType: "text/html", Data: bytes.Repeat([]byte("x"), 1000)},
			}
		}},
		{"tag and unsubscribe", func(m *mail.Message) { m.Tag, m.Unsubscribe = "alert", "https://v.example/u?t=1" }},
		{"subject in another script", func(m *mail.Message) { m.Subject = strings.Repeat("è ", 60) + "è" }},
		{"subject like an encoded word", func(m *mail.Message) { m.Subject = "=?utf-8?q?a?=" }},
		{"quoted-printable by chance", func(m *mail.Message) { m.Text = "=3D =\n.\n--=_a \t\n" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := base
			c.change(&m)
			s, dir := open(t, stopped)
			if err := s.Send(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			want := []Mail{{Message: m, From: "verdetto@desk.invalid", Date: noon}}
			got := read(t, dir)
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Mail{}, "File", "ID"),
				cmpopts.EquateApproxTime(0)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got[0].ID == "" || !strings.HasPrefix(got[0].File, "20260301T120000.000000000Z-000001-") {
				t.Errorf("file %q, id %q", got[0].File, got[0].ID)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	clock := noon
	s, dir := open(t, func() time.Time { return clock })
	var want []string
	for i := range 12 {
		want = append(want, fmt.Sprint(i))
		if err := s.Send(t.Context(), mail.Message{To: "a@b.example", Subject: want[i], Text: "t"}); err != nil {
			t.Fatal(err)
		}
		clock = clock.Add(time.Duration(i%3) * time.Millisecond)
	}
	var got []string
	for _, m := range read(t, dir) {
		got = append(got, m.Subject)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	one, dir := open(t, stopped)
	two, err := Open(dir, stopped)
	if err != nil {
		t.Fatal(err)
	}
	const each = 50
	var wg sync.WaitGroup
	for _, s := range []*Sender{one, two} {
		for range each {
			wg.Go(func() {
				if err := s.Send(context.Background(), mail.Message{To: "a@b.example", Subject: "s",
					Text: "t"}); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if got := len(read(t, dir)); got != 2*each {
		t.Errorf("%d mails, want %d", got, 2*each)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 || filepath.Ext(e.Name()) != suffix {
			t.Errorf("%s is %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

func TestSameMessage(t *testing.T) {
	one, dir := open(t, stopped)
	two, err := Open(dir, stopped)
	if err != nil {
		t.Fatal(err)
	}
	m := mail.Message{ID: "20260301-MIL-BUH-1", To: "a@b.example", Subject: "s", Text: "t\n"}
	other := m
	other.ID = "20260301-MIL-BUH-2"
	for _, send := range []struct {
		by *Sender
		m  mail.Message
	}{{one, m}, {two, m}, {one, other}, {one, m}} {
		if err := send.by.Send(t.Context(), send.m); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, dir)
	want := []Mail{
		{Message: m, File: m.ID + ".eml", From: "verdetto@desk.invalid", ID: "<" + m.ID + "@desk.invalid>", Date: noon},
		{Message: other, File: other.ID + ".eml", From: "verdetto@desk.invalid",
			ID: "<" + other.ID + "@desk.invalid>", Date: noon},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApproxTime(0)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	m.ID = "../out"
	if err := one.Send(t.Context(), m); !errors.Is(err, mail.ErrRefused) {
		t.Errorf("an ID that leads out of the folder: %v", err)
	}
}

func TestErrors(t *testing.T) {
	good := mail.Message{To: "ada@example.com", Subject: "s", Text: "t"}
	bad := good
	bad.Subject = "s\r\nBcc: bob@example.com"
	for _, c := range []struct {
		name   string
		m      mail.Message
		spoil  func(t *testing.T, dir string) context.Context
		want   error
		others []error
	}{
		{"bad message", bad, func(t *testing.T, _ string) context.Context { return t.Context() },
			mail.ErrRefused, []error{mail.ErrThrottled, mail.ErrUnavailable}},
		{"folder gone", good, func(t *testing.T, dir string) context.Context {
			if err := os.Remove(dir); err != nil {
				t.Fatal(err)
			}
			return t.Context()
		}, mail.ErrBlocked, []error{mail.ErrRefused, mail.ErrUnavailable}},
		{"context ended", good, func(t *testing.T, _ string) context.Context {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx
		}, mail.ErrThrottled, []error{mail.ErrBlocked, mail.ErrRefused, mail.ErrUnavailable}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, dir := open(t, stopped)
			err := s.Send(c.spoil(t, dir), c.m)
			if !errors.Is(err, c.want) || slices.ContainsFunc(c.others,
				func(e error) bool { return errors.Is(err, e) }) {
				t.Errorf("error %v, want %v alone", err, c.want)
			}
			if strings.Contains(fmt.Sprint(err), c.m.To) {
				t.Errorf("error %v names the recipient", err)
			}
			if got := read(t, dir); len(got) != 0 {
				t.Errorf("%d mails are there", len(got))
			}
		})
	}
	t.Run("no folder to be made", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(filepath.Join(file, "dir"), stopped); err == nil {
			t.Error("a folder was opened inside a file")
		}
	})
}

func TestReadGivesTheOthers(t *testing.T) {
	s, dir := open(t, stopped)
	if err := s.Send(t.Context(), mail.Message{To: "a@b.example", Subject: "s", Text: "t"}); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"0.eml": "not a mail", ".new-123": "half", "notes.txt": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Read(dir)
	if len(got) != 1 || err == nil || !strings.Contains(err.Error(), "0.eml") ||
		strings.Contains(err.Error(), "notes") {
		t.Errorf("%d mails, error %v; want 1, and 0.eml named", len(got), err)
	}
}

func FuzzParse(f *testing.F) {
	compose, err := mail.NewComposer(From, stopped)
	if err != nil {
		f.Fatal(err)
	}
	for _, html := range []string{"", "<p>è"} {
		raw, err := compose.Compose(mail.Message{To: "a@b.example", Subject: "è", Text: "t", HTML: html})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add([]byte("To: a@b.c\r\nFrom: a@b.c\r\nDate: Sun, 01 Mar 2026 07:05:00 +0000\r\nContent-Type: multipart/x; boundary=b\r\n\r\n--b\r\nContent-Type: multipart/x; boundary=b\r\n\r\n--b--\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parse(raw)
		if err != nil {
			if !cmp.Equal(m, Mail{}) {
				t.Errorf("an error and %+v", m)
			}
			return
		}
		if m.To == "" || m.From == "" || m.Date.IsZero() {
			t.Errorf("read as %+v", m)
		}
	})
}
