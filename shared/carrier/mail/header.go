package mail

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	MaxSubject = 250 // bytes
	maxName    = 120
	maxTag     = 64
	maxURL     = 900 // bytes; a line has at most 998, and a URL cannot be folded
)

func oneLine(s string, most int) error {
	if len(s) > most {
		return fmt.Errorf("longer than %d bytes", most)
	}
	if !utf8.ValidString(s) {
		return errors.New("not UTF-8")
	}
	for _, c := range s {
		if unicode.IsControl(c) || c == '\u2028' || c == '\u2029' {
			return fmt.Errorf("control character %U", c)
		}
	}
	return nil
}

func only(s, others string) error {
	for _, c := range s {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') && !strings.ContainsRune(others, c) {
			return fmt.Errorf("character %q", c)
		}
	}
	return nil
}

func checkUnsubscribe(address string) error {
	if len(address) > maxURL {
		return fmt.Errorf("longer than %d bytes", maxURL)
	}
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c > '~' || c == '<' || c == '>' {
			return fmt.Errorf("character %q", c)
		}
	}
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("not a URL")
	}
	return secure(u)
}

func secure(u *url.URL) error {
	local := u.Hostname() == "127.0.0.1" || u.Hostname() == "::1" || u.Hostname() == "localhost"
	if u.Host == "" || u.Scheme != "https" && !(u.Scheme == "http" && local) {
		return errors.New("neither https nor on this machine")
	}
	return nil
}

// Unlike mime.WordEncoder, encode also encodes text that looks like an encoded word (RFC 2047),
// which mail programs would decode.
func encode(s string) string {
	if plain(s) {
		return s
	}
	return encodeWords(s)
}

func sender(name, address string) string {
	switch {
	case name == "":
		return "<" + address + ">"
	case plain(name) && only(name, " -") == nil:
		return name + " <" + address + ">"
	}
	return encodeWords(name) + " <" + address + ">"
}

func encodeWords(s string) string {
	const most = 39 // bytes; the encoded word and "Subject: " must fit into a line of 76
	var b strings.Builder
	for len(s) > 0 {
		n := min(most, len(s))
		for n < len(s) && !utf8.RuneStart(s[n]) { // an encoded word must hold whole characters (RFC 2047)
			n--
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("=?utf-8?b?" + base64.StdEncoding.EncodeToString([]byte(s[:n])) + "?=")
		s = s[n:]
	}
	return b.String()
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return s == strings.TrimSpace(s) && !strings.Contains(s, "  ") && !strings.Contains(s, "=?")
}
