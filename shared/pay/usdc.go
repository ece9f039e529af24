package pay

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"verdetto/shared/apikey"
)

// The mints of USDC. Anybody can make a coin and call it USDC: only these are.
const (
	MainnetUSDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
	DevnetUSDC  = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
)

// UnitsPerUSDC is how finely USDC is divided.
const UnitsPerUSDC = 1_000_000

// ParseUnits reads a positive amount of USDC such as "12.99", with at most six decimals.
func ParseUnits(text string) (int64, error) {
	whole, part, dotted := strings.Cut(text, ".")
	if whole == "" || dotted && part == "" || len(part) > 6 || strings.Trim(whole+part, "0123456789") != "" {
		return 0, fmt.Errorf("read amount %q: want USDC with at most six decimals", text)
	}
	units, err := strconv.ParseInt(whole+part+strings.Repeat("0", 6-len(part)), 10, 64)
	if err != nil || units == 0 {
		return 0, fmt.Errorf("read amount %q: want more than nothing and at most %d USDC", text,
			math.MaxInt64/UnitsPerUSDC)
	}
	return units, nil
}

// FormatUnits writes an amount of USDC, none or more, in decimals, without idle zeros.
func FormatUnits(units int64) string {
	text := fmt.Sprintf("%d.%06d", units/UnitsPerUSDC, units%UnitsPerUSDC)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// binding begins a memo that binds a payment to an e-mail address.
const binding = "vd1:"

// BindingMemo is the memo that binds a payment to an address. Without the operator's pepper nobody
// can tell from a memo, which all the world can read, whose it is.
func BindingMemo(pepper []byte, email string) string {
	mac := hmac.New(sha256.New, pepper)
	mac.Write([]byte("payment memo\x00" + apikey.Normalize(email)))
	return binding + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// MayClaim tells whether an address may claim a payment with those memos: one
// that is bound to the address, or one that is bound to none. A binding is found
// whatever a wallet put around it or did to it: see plain.
func MayClaim(pepper []byte, email string, memos []string) bool {
	own, bound := strings.ToLower(BindingMemo(pepper, email)), false
	for _, memo := range memos {
		memo = plain(memo)
		if strings.Contains(memo, own) {
			return true
		}
		bound = bound || isBinding.MatchString(memo)
	}
	return !bound
}

// Bound reports whether memos bind a payment to one address. Bindings to several
// addresses bind to none: a link can hold another's binding beside the payer's own.
// Each of them may claim the payment then, and a proof of who paid outranks both.
func Bound(memos []string) bool {
	found := map[string]bool{}
	for _, memo := range memos {
		for _, binding := range isBinding.FindAllString(plain(memo), -1) {
			found[binding] = true
		}
	}
	return len(found) == 1
}

// isBinding finds a binding in a memo that was made plain: 16 bytes in base64
// have 22 characters, of which the last is one of four. A memo that only begins
// like one is text: it can be nobody's, and who wrote it should not lose the payment.
var isBinding = regexp.MustCompile(binding + `[a-z0-9_-]{21}[aqgw]`)

// plain undoes what wallets do to memos: letters in another case, control and
// invisible characters anywhere, the colon escaped as in a URL or in JSON.
func plain(memo string) string {
	memo = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, memo)
	return strings.NewReplacer("%3a", ":", `\u003a`, ":").Replace(strings.ToLower(memo))
}

// Transfer is a payment that a wallet is asked to make.
type Transfer struct {
	Recipient string // wallet, not its token account
	Mint      string
	Units     int64
	Memo      string // may be empty
	Label     string // who asks; may be empty
	Reference string // what the payment is found by; may be empty
}

// Link is the transfer as a Solana Pay address, which wallets open or scan.
func (t Transfer) Link() string {
	var b strings.Builder
	fmt.Fprintf(&b, "solana:%s?amount=%s&spl-token=%s", t.Recipient, FormatUnits(t.Units), t.Mint)
	for _, field := range []struct{ name, value string }{{"reference", t.Reference}, {"label", t.Label},
		{"memo", t.Memo}} {
		if field.value != "" {
			// Wallets undo percent signs but not every one takes + for a space.
			b.WriteString("&" + field.name + "=" + strings.ReplaceAll(url.QueryEscape(field.value), "+", "%20"))
		}
	}
	return b.String()
}
