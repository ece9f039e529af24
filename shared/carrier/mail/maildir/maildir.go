// Package maildir is a sender that writes each mail as an .eml file into a
// folder, for the service on one machine and for tests, and reads such a folder back.
//
// It promises that a file is either whole or not there, that no mail overwrites
// another, and that the names of one process sort in the order of sending as long
// as its clock does not run backwards. A message that has an ID lies under that
// name, once, however often it is sent. Mails hold keys: only the owner may read
// the files. Nothing is ever deleted.
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

// From is who these mails are from: a domain that nobody can have.
const From = "Verdetto <verdetto@desk.invalid>"

const (
	suffix = ".eml"
	// kind is a header for those who look at the folder; it is not part of the mail.
	kind = "X-Verdetto-Tag"
)

// Sender writes mails into a folder.
type Sender struct {
	dir     string
	now     func() time.Time
	compose *mail.Composer
	sent    atomic.Uint32
}

var _ mail.Sender = (*Sender)(nil)

// Open gives a sender into a folder, which is made if it is not there.
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

// Send writes a file. Its errors are ErrRefused for a message that cannot be
// written, ErrBlocked for a folder that cannot be written to, and ErrThrottled
// for a context that has ended: in each case there is no file.
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

// write makes the file under a name that Read passes over, then gives it its own.
func (s *Sender) write(raw []byte, name string) (err error) {
	f, err := os.CreateTemp(s.dir, ".new-*") // readable by the owner only
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

// name is the time, how many mails this sender has sent (the clock may stand
// still), and chance (other processes may write into the folder too).
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
