// Package maildir is a mail sender that writes each mail as an .eml file into a folder. It is for
// tests, and for a service on one machine. Read reads such a folder.
//
// A message with an ID is written to a file named for the ID, and replaces an earlier message with
// this ID. Mails may contain keys, so files are created with mode 0600.
package maildir

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"verdetto/shared/carrier/mail"
)

const From = "Verdetto <verdetto@desk.invalid>"

const (
	suffix = ".eml"
	kind   = "X-Verdetto-Tag"
)

type Sender struct {
	dir     string
	now     func() time.Time
	compose *mail.Composer
	sent    atomic.Uint32
}

var _ mail.Sender = (*Sender)(nil)

func Open(dir string, now func() time.Time) (*Sender, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("open mail folder: %w", err)
	}
	compose, err := mail.NewComposer(From, now)
	if err != nil {
		return nil, fmt.Errorf("open mail folder: %w", err)
	}
	return &Sender{dir: dir, now: now, compose: compose}, nil
}

func (s *Sender) Send(ctx context.Context, m mail.Message) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("send mail: %w: %w", mail.ErrThrottled, err)
	}
	raw, err := s.compose.Compose(m)
	if err != nil {
		return err
	}
	if m.Tag != "" {
		raw = append([]byte(kind+": "+m.Tag+"\r\n"), raw...)
	}
	if err := s.write(raw, cmp.Or(m.ID, s.name())+suffix); err != nil {
		return fmt.Errorf("send mail: %w: %w", mail.ErrBlocked, err)
	}
	return nil
}

func (s *Sender) write(raw []byte, name string) (err error) {
	f, err := os.CreateTemp(s.dir, ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(raw)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(s.dir, name))
}

func (s *Sender) name() string {
	at := s.now().UTC().Format("20060102T150405.000000000Z")
	return fmt.Sprintf("%s-%06d-%.8s", at, s.sent.Add(1), rand.Text())
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
