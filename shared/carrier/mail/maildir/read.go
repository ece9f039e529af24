package maildir

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"time"

	"verdetto/shared/carrier/mail"
)

// Mail is a mail as it lies in a folder.
type Mail struct {
	mail.Message        // line ends in its texts are \n
	File         string // its name in the folder
	From         string // the bare address
	ID           string // Message-ID, in its brackets
	Date         time.Time
}

// Read gives the mails of a folder by name, which is in the order of sending. A
// folder that is not there holds none. A file that cannot be read is an error, and
// the others are given all the same.
func Read(dir string) ([]Mail, error) {
	entries, err := os.ReadDir(dir) // sorted
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
	read, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return Mail{}, err
	}
	var m Mail
	var faults [4]error
	m.To, faults[0] = address(read.Header, "To")
	m.From, faults[1] = address(read.Header, "From")
	m.Subject, faults[2] = new(mime.WordDecoder).DecodeHeader(read.Header.Get("Subject"))
	m.Date, faults[3] = read.Header.Date()
	if err := errors.Join(faults[:]...); err != nil {
		return Mail{}, err
	}
	m.ID = read.Header.Get("Message-Id")
	m.Tag = read.Header.Get(kind)
	m.Unsubscribe = strings.TrimSuffix(strings.TrimPrefix(read.Header.Get("List-Unsubscribe"), "<"), ">")
	if err := m.collect(textproto.MIMEHeader(read.Header), read.Body, 0); err != nil {
		return Mail{}, err
	}
	return m, nil
}

func address(h netmail.Header, key string) (string, error) {
	list, err := h.AddressList(key)
	if err != nil {
		return "", fmt.Errorf("%s: %w", key, err)
	}
	if len(list) != 1 {
		return "", fmt.Errorf("%s: %d addresses, want 1", key, len(list))
	}
	return list[0].Address, nil
}

// collect takes the text, the HTML and what the HTML shows from a part and those below it.
func (m *Mail) collect(h textproto.MIMEHeader, body io.Reader, depth int) error {
	contentType, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("content type: %w", err)
	}
	if strings.HasPrefix(contentType, "multipart/") {
		if depth > 4 {
			return errors.New("parts within parts within parts")
		}
		parts := multipart.NewReader(body, params["boundary"])
		for {
			part, err := parts.NextRawPart()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if err := m.collect(part.Header, part, depth+1); err != nil {
				return err
			}
		}
	}
	switch h.Get("Content-Transfer-Encoding") {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("%s: %w", contentType, err)
	}
	id := h.Get("Content-Id")
	switch {
	case contentType == "text/plain" && id == "":
		m.Text = strings.ReplaceAll(string(data), "\r\n", "\n")
	case contentType == "text/html" && id == "":
		m.HTML = strings.ReplaceAll(string(data), "\r\n", "\n")
	default:
		_, named, err := mime.ParseMediaType(h.Get("Content-Disposition"))
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
