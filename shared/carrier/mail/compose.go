package mail

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	netmail "net/mail"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/emersion/go-message"
)

type Composer struct {
	from   netmail.Address
	now    func() time.Time
	random io.Reader
}

// NewComposer takes the sender as an address or as Name <address>.
func NewComposer(from string, now func() time.Time) (*Composer, error) {
	if err := oneLine(from, maxName+maxAddress); err != nil {
		return nil, fmt.Errorf("read the sender of mail: %w", err)
	}
	read, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, fmt.Errorf("read the sender of mail: %w", err)
	}
	if read.Address, err = ParseAddress(read.Address); err != nil {
		return nil, fmt.Errorf("read the sender of mail: %w", err)
	}
	if err := oneLine(read.Name, maxName); err != nil { // an encoded name could hide forbidden characters
		return nil, fmt.Errorf("read the sender of mail: name: %w", err)
	}
	return &Composer{*read, now, rand.Reader}, nil
}

func (c *Composer) From() string { return c.from.Address }

// Compose writes a message in 7-bit ASCII with CRLF line ends. Errors wrap ErrRefused or
// ErrBlocked.
func (c *Composer) Compose(m Message) ([]byte, error) {
	if err := check(m); err != nil {
		return nil, fmt.Errorf("write mail: %w: %w", ErrRefused, err)
	}
	to, err := ParseAddress(m.To)
	if err != nil {
		return nil, fmt.Errorf("write mail: %w: %w", ErrRefused, err)
	}
	var id [16]byte
	if _, err := io.ReadFull(c.random, id[:]); err != nil {
		return nil, fmt.Errorf("write mail: %w: random bytes: %w", ErrBlocked, err)
	}
	name := hex.EncodeToString(id[:])
	_, domain, _ := strings.Cut(c.from.Address, "@")
	fields := []field{
		{"Date", c.now().UTC().Format(time.RFC1123Z)},
		{"From", sender(c.from.Name, c.from.Address)},
		{"To", "<" + to + ">"},
		{"Subject", encode(m.Subject)},
		{"Message-ID", "<" + cmp.Or(m.ID, name) + "@" + domain + ">"},
	}
	if m.Unsubscribe != "" {
		fields = append(fields, field{"List-Unsubscribe", "<" + m.Unsubscribe + ">"},
			field{"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"})
	}
	// Auto-Submitted asks for no out-of-office reply (RFC 3834).
	fields = append(fields, field{"Auto-Submitted", "auto-generated"},
		field{"MIME-Version", "1.0"})
	root := parts(m, name)
	root.header = append(fields, root.header...)
	var b bytes.Buffer
	err = root.write(func(h message.Header) (*message.Writer, error) { return message.CreateWriter(&b, h) })
	if err != nil {
		return nil, fmt.Errorf("write mail: %w: %w", ErrRefused, err)
	}
	return b.Bytes(), nil
}

func check(m Message) error {
	faults := []error{
		label("subject", oneLine(m.Subject, MaxSubject)),
		label("id", errors.Join(oneLine(m.ID, maxTag), only(m.ID, "-_"))),
		label("tag", errors.Join(oneLine(m.Tag, maxTag), only(m.Tag, "-_"))),
	}
	if strings.TrimSpace(m.Subject) == "" {
		faults = append(faults, errors.New("no subject"))
	}
	if m.Text == "" {
		faults = append(faults, errors.New("no text"))
	}
	if !utf8.ValidString(m.Text) || !utf8.ValidString(m.HTML) {
		faults = append(faults, errors.New("text or HTML that is not UTF-8"))
	}
	if m.Unsubscribe != "" {
		faults = append(faults, label("unsubscribe", checkUnsubscribe(m.Unsubscribe)))
	}
	if len(m.Inline) > 0 && m.HTML == "" {
		faults = append(faults, errors.New("inline parts without HTML that shows them"))
	}
	seen := map[string]bool{}
	for _, a := range m.Inline {
		if a.ContentID == "" || len(a.ContentID) > maxName || seen[a.ContentID] {
			faults = append(faults, errors.New("content id that is empty, too long or there twice"))
		}
		seen[a.ContentID] = true
		kind, subtype, _ := strings.Cut(a.ContentType, "/")
		if kind == "" || subtype == "" || len(a.ContentType) > maxName {
			faults = append(faults, errors.New("content type: want type/subtype"))
		}
		faults = append(faults,
			label("content id", only(a.ContentID, "._@-")),
			label("content type", errors.Join(only(kind, "-"), only(subtype, ".+-"))),
			label("file name", oneLine(a.Name, maxName)))
	}
	return errors.Join(faults...)
}

func label(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

type part struct {
	header   []field
	body     string
	children []part
}

type field struct{ name, value string }

// Boundaries contain =_, which cannot occur in quoted-printable or base64, so no body contains a
// boundary.
func parts(m Message, name string) part {
	plain := text("text/plain", m.Text)
	if m.HTML == "" {
		return plain
	}
	both := group("multipart/alternative", map[string]string{"boundary": "=_a" + name}, plain,
		text("text/html", m.HTML))
	if len(m.Inline) == 0 {
		return both
	}
	all := []part{both}
	for _, a := range m.Inline {
		all = append(all, inline(a))
	}
	return group("multipart/related", map[string]string{"boundary": "=_r" + name, "type": "multipart/alternative"},
		all...)
}

func text(contentType, s string) part {
	return part{header: []field{
		{"Content-Type", mime.FormatMediaType(contentType, map[string]string{"charset": "utf-8"})},
		{"Content-Transfer-Encoding", "quoted-printable"},
	}, body: s}
}

func inline(a Attachment) part {
	named := map[string]string{}
	if a.Name != "" {
		named["filename"] = a.Name
	}
	return part{header: []field{
		{"Content-Type", a.ContentType},
		{"Content-Transfer-Encoding", "base64"},
		{"Content-ID", "<" + a.ContentID + ">"},
		{"Content-Disposition", mime.FormatMediaType("inline", named)},
	}, body: string(a.Data)}
}

func group(contentType string, params map[string]string, children ...part) part {
	return part{header: []field{{"Content-Type", mime.FormatMediaType(contentType, params)}}, children: children}
}

func (p part) write(create func(message.Header) (*message.Writer, error)) error {
	var header message.Header
	for _, f := range slices.Backward(p.header) { // message.Header.Add prepends fields
		header.Add(f.name, f.value)
	}
	w, err := create(header)
	if err != nil {
		return err
	}
	if p.children == nil {
		if _, err := io.WriteString(w, p.body); err != nil {
			return err
		}
	}
	for _, child := range p.children {
		if err := child.write(w.CreatePart); err != nil {
			return err
		}
	}
	return w.Close()
}
