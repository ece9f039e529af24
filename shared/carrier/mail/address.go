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
	maxAddress = 254 // RFC 3696, erratum 1690
	maxLocal   = 64
	blank      = " \t\u00a0"
	space      = blank + "\r\n\u200b\ufeff"
	atom       = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
)

var (
	localPart = regexp.MustCompile(`^` + atom + `(\.` + atom + `)*$`)
	// A top-level domain begins with a letter, so 127.0.0.1 is no domain.
	domainName = regexp.MustCompile(`^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$`)
)

// ParseAddress returns the address in ASCII with the domain in lower case. The local part keeps its
// case, which matters to some mail servers. Rare forms that RFC 5321 allows are rejected, because
// programs parse these forms differently. Errors wrap ErrAddress and do not contain the address.
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
		local = local[1 : len(local)-1] // unneeded quotes change nothing (RFC 5321)
	}
	if len(domain) <= utf8.UTFMax*maxAddress {
		domain = apikey.ASCIIDomain(domain)
	}
	switch {
	case len(local)+1+len(domain) > maxAddress:
		return "", fmt.Errorf("%w: longer than %d characters", ErrAddress, maxAddress)
	// In a header, =? could begin an encoded word (RFC 2047), which mail programs would decode.
	case len(local) > maxLocal || strings.Contains(local, "=?") || !localPart.MatchString(local):
		return "", fmt.Errorf("%w: want 1 to %d ASCII letters, digits or signs without quotes before the @", ErrAddress, maxLocal)
	case !domainName.MatchString(domain):
		return "", fmt.Errorf("%w: want one domain such as example.com after the @", ErrAddress)
	}
	address := local + "@" + strings.ToLower(domain)
	if read, err := netmail.ParseAddress(address); err != nil || read.Name != "" || read.Address != address {
		return "", fmt.Errorf("%w: it is read in another way", ErrAddress)
	}
	return address, nil
}
