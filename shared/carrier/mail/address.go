package mail

import (
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"unicode/utf8"

	"verdetto/shared/apikey"
)

// ErrAddress means that a text is no e-mail address to which the service sends.
var ErrAddress = errors.New("not an email address")

const (
	maxAddress = 254 // RFC 5321 with erratum 1690: fits a path of 256
	maxLocal   = 64
	maxLabel   = 63
)

// ParseAddress is the only check of e-mail addresses. It accepts local@domain, unquoted, with a local
// part in ASCII and at least two labels in the domain, and returns the address with the domain in
// lower case and in ASCII. The local part stays unchanged, because only its mail server knows what
// it means. White space around the address, a comma or full stop after it, mailto: before it, and a name
// beside it as in Ada <ada@example.com> are ignored.
//
// The rule is narrower than RFC 5321 on purpose: it excludes rare forms that programs parse
// differently. Errors wrap ErrAddress and do not repeat the text.
func ParseAddress(email string) (string, error) {
	email = strings.Trim(strings.TrimRight(email, " \t\r\n\u00a0\u200b\ufeff,;."), " \t\r\n\u00a0\u200b\ufeff")
	if _, rest, ok := strings.Cut(email, "<"); ok && strings.HasSuffix(rest, ">") {
		email = strings.TrimSpace(rest[:len(rest)-1])
	}
	if len(email) > len("mailto:") && strings.EqualFold(email[:len("mailto:")], "mailto:") {
		email, _, _ = strings.Cut(email[len("mailto:"):], "?")
	}
	local, domain, err := split(email)
	if err == nil {
		err = checkLocal(local)
	}
	if err == nil {
		domain = strings.ToLower(domain)
		err = checkDomain(domain)
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrAddress, err)
	}
	address := local + "@" + domain
	// Refuse what the standard library parses differently.
	if read, err := netmail.ParseAddress(address); err != nil || read.Name != "" || read.Address != address {
		return "", fmt.Errorf("%w: it is read in another way", ErrAddress)
	}
	return address, nil
}

func split(email string) (local, domain string, err error) {
	local, domain, found := strings.Cut(email, "@")
	if !found || strings.Contains(domain, "@") {
		return "", "", errors.New("want exactly one @")
	}
	if len(domain) <= utf8.UTFMax*maxAddress {
		domain = apikey.ASCIIDomain(domain)
	}
	email = local + "@" + domain
	if len(email) > maxAddress {
		return "", "", fmt.Errorf("longer than %d characters", maxAddress)
	}
	for i := range len(email) {
		if email[i] <= ' ' || email[i] > '~' {
			return "", "", errors.New("a space, or a character that is not ASCII")
		}
	}
	return local, domain, nil
}

func checkLocal(local string) error {
	if local == "" || len(local) > maxLocal {
		return fmt.Errorf("want 1 to %d characters before the @", maxLocal)
	}
	// In a header, =? could begin an encoded word (RFC 2047), which mail programs would decode into
	// another text.
	if strings.Contains(local, "=?") {
		return errors.New("the beginning of an encoded word before the @")
	}
	for atom := range strings.SplitSeq(local, ".") {
		if atom == "" {
			return errors.New("a dot out of place before the @")
		}
		for _, c := range atom {
			if !alphanumeric(c) && !strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", c) {
				return fmt.Errorf("%q before the @", c)
			}
		}
	}
	return nil
}

func checkDomain(domain string) error {
	last, labels := "", 0
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || len(label) > maxLabel {
			return fmt.Errorf("want 1 to %d characters between the dots of the domain", maxLabel)
		}
		if label[0] == '-' || label[len(label)-1] == '-' {
			return errors.New("a hyphen out of place in the domain")
		}
		for _, c := range label {
			if !alphanumeric(c) && c != '-' {
				return fmt.Errorf("%q in the domain", c)
			}
		}
		last, labels = label, labels+1
	}
	if labels < 2 {
		return errors.New("a domain without a dot")
	}
	// No top-level domain is a single letter or begins with a digit, so 127.0.0.1 is no domain.
	if len(last) < 2 || '0' <= last[0] && last[0] <= '9' {
		return errors.New("a domain that ends in no top-level domain")
	}
	return nil
}

func alphanumeric(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
