package mail

import (
	"errors"
	"fmt"
	netmail "net/mail"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"

	"verdetto/shared/apikey"
)

var ErrAddress = errors.New("not an email address")

const (
	maxAddress = 254 // RFC 5321 with erratum 1690: 256 for a path, minus its angle brackets
	maxLocal   = 64
	blank      = " \t\u00a0"
	space      = blank + "\r\n\u200b\ufeff"
	atom       = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
)

var (
	localPart = regexp.MustCompile(`^` + atom + `(\.` + atom + `)*$`)
	// No top-level domain is a single letter or begins with a digit, so 127.0.0.1 is no domain.
	domainName = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$`)
)

// ParseAddress accepts local@domain, unquoted, with a local part in ASCII and at least two labels
// in the domain, and returns the address with the domain in lower case and in ASCII. The local part
// stays unchanged, because only its mail server knows what it means. White space around the address
// and its @, commas, semicolons and full stops after it, mailto: before it, a name beside it as in
// Ada <ada@example.com>, and quotes that change nothing are ignored. Fullwidth characters, as
// keyboards for East Asian scripts write them, count as the ASCII ones.
//
// The rule is narrower than RFC 5321 on purpose: it excludes rare forms that programs parse
// differently. Errors wrap ErrAddress and do not repeat the text.
func ParseAddress(email string) (string, error) {
	email = strings.NewReplacer("。", ".", "｡", ".").Replace(width.Fold.String(email))
	email = strings.Trim(strings.TrimRight(email, space+",;."), space)
	for _, quotes := range [][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"„", "“"}} {
		if inner, ok := strings.CutPrefix(email, quotes[0]); ok && strings.HasSuffix(inner, quotes[1]) {
			email = strings.TrimSuffix(inner, quotes[1])
		}
	}
	if _, rest, ok := strings.Cut(email, "<"); ok && strings.HasSuffix(rest, ">") {
		email = strings.TrimSpace(rest[:len(rest)-1])
	}
	if len(email) > len("mailto:") && strings.EqualFold(email[:len("mailto:")], "mailto:") {
		email, _, _ = strings.Cut(email[len("mailto:"):], "?")
	}
	local, domain, _ := strings.Cut(email, "@")
	local, domain = strings.TrimRight(local, blank), strings.TrimLeft(domain, blank)
	if quoted := len(local) > 1 && strings.HasPrefix(local, `"`) && strings.HasSuffix(local, `"`); quoted {
		local = local[1 : len(local)-1] // quotes change nothing (RFC 5321), and localPart rejects what needs them
	}
	if len(domain) <= utf8.UTFMax*maxAddress {
		domain = apikey.ASCIIDomain(domain)
	}
	switch {
	case len(local)+1+len(domain) > maxAddress:
		return "", fmt.Errorf("%w: longer than %d characters", ErrAddress, maxAddress)
	// In a header, =? could begin an encoded word (RFC 2047), which mail programs would decode into
	// another text.
	case len(local) > maxLocal || strings.Contains(local, "=?") || !localPart.MatchString(local):
		return "", fmt.Errorf("%w: want 1 to %d ASCII letters, digits or signs without quotes before the @", ErrAddress, maxLocal)
	case !domainName.MatchString(domain):
		return "", fmt.Errorf("%w: want one domain such as example.com after the @", ErrAddress)
	}
	address := local + "@" + strings.ToLower(domain)
	// Refuse what the standard library parses differently.
	if read, err := netmail.ParseAddress(address); err != nil || read.Name != "" || read.Address != address {
		return "", fmt.Errorf("%w: it is read in another way", ErrAddress)
	}
	return address, nil
}
