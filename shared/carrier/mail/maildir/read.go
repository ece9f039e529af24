package maildir

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/emersion/go-message"
	gomail "github.com/emersion/go-message/mail"

	"verdetto/shared/carrier/mail"
)

type Mail struct {
	mail.Message
	File string
	From string
	ID   string
	Date time.Time
}

// Read returns the mails in the order of file names. If a mail cannot be read, Read returns the
// others and an error.
func Read(dir string) ([]Mail, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read mail folder: %w", err)
	}
	var all []Mail
	var faults []error
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != suffix {
			continue
		}
		m, err := readFile(filepath.Join(dir, e.Name()))
		if err != nil {
			faults = append(faults, fmt.Errorf("read mail %s: %w", e.Name(), err))
			continue
		}
		all = append(all, m)
	}
	return all, errors.Join(faults...)
}

func readFile(path string) (Mail, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return Mail{}, err
	}
	m, err := parse(raw)
	m.File = filepath.Base(path)
	if name := strings.TrimSuffix(m.File, suffix); strings.HasPrefix(m.ID, "<"+name+"@") {
		m.Message.ID = name
	}
	return m, err
}

func parse(raw []byte) (Mail, error) {
	read, err := message.Read(bytes.NewReader(raw))
	if err != nil {
		return Mail{}, err
	}
	header := gomail.Header{Header: read.Header}
	var m Mail
	var faults [4]error
	m.To, faults[0] = address(header, "To")
	m.From, faults[1] = address(header, "From")
	m.Subject, faults[2] = header.Subject()
	m.Date, faults[3] = header.Date()
	if err := errors.Join(faults[:]...); err != nil {
		return Mail{}, err
	}
	m.ID = read.Header.Get("Message-Id")
	m.Tag = read.Header.Get(kind)
	m.Unsubscribe = strings.TrimSuffix(strings.TrimPrefix(read.Header.Get("List-Unsubscribe"), "<"), ">")
	if err := read.Walk(m.collect); err != nil {
		return Mail{}, err
	}
	return m, nil
}

func address(h gomail.Header, key string) (string, error) {
	list, err := h.AddressList(key)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	if len(list) != 1 {
		return "", fmt.Errorf("%s: %d addresses, want 1", key, len(list))
	}
	return list[0].Address, nil
}

func (m *Mail) collect(_ []int, part *message.Entity, err error) error {
	contentType, _, typeErr := part.Header.ContentType()
	if err = errors.Join(err, typeErr); err != nil || part.MultipartReader() != nil {
		return err
	}
	data, err := io.ReadAll(part.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", contentType, err)
	}
	id := part.Header.Get("Content-Id")
	switch {
	case contentType == "text/plain" && id == "":
		m.Text = strings.ReplaceAll(string(data), "\r\n", "\n")
	case contentType == "text/html" && id == "":
		m.HTML = strings.ReplaceAll(string(data), "\r\n", "\n")
	default:
		_, named, err := part.Header.ContentDisposition()
		if err != nil {
			return fmt.Errorf("content disposition: %w", err)
		}
		m.Inline = append(m.Inline, mail.Attachment{
			ContentID:   strings.TrimSuffix(strings.TrimPrefix(id, "<"), ">"),
			ContentType: contentType, Name: named["filename"], Data: data,
		})
	}
	return nil
}
