package pay

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"verdetto/shared/apikey"
)

// A coin is recognised by its mint address, because anyone can create a coin named USDC.
const (
	MainnetUSDC = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
	DevnetUSDC  = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
)

// A unit is a millionth of a USDC.
const UnitsPerUSDC = 1_000_000

// ParseUnits parses "12.99" as 12,990,000 units.
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

// The argument of FormatUnits must not be negative.
func FormatUnits(units int64) string {
	text := fmt.Sprintf("%d.%06d", units/UnitsPerUSDC, units%UnitsPerUSDC)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

const binding = "vd1:"

// Memos are public, so BindingMemo hides the e-mail address from everybody without the pepper.
func BindingMemo(pepper []byte, email string) string {
	return binding + apikey.Pseudonym(pepper, "payment memo\x00"+apikey.Normalize(email))
}

// MayClaim reports whether the memos bind the payment to email or to no address at all.
func MayClaim(pepper []byte, email string, memos []string) bool {
	claimed, bound := strings.ToLower(BindingMemo(pepper, email)), false
	for _, memo := range memos {
		memo = plain(memo)
		if strings.Contains(memo, claimed) {
			return true
		}
		bound = bound || isBinding.MatchString(memo)
	}
	return !bound
}

// Bound reports whether the memos bind a payment to exactly one e-mail address. Several addresses
// count as unbound, because a forged payment link can add a memo to the payer's own.
func Bound(memos []string) bool {
	found := map[string]bool{}
	for _, memo := range memos {
		for _, binding := range isBinding.FindAllString(plain(memo), -1) {
			found[binding] = true
		}
	}
	return len(found) == 1
}

// In base64, 16 bytes take 22 characters, of which the last has only four possible values.
var isBinding = regexp.MustCompile(binding + `[a-z0-9_-]{21}[aqgw]`)

func plain(memo string) string {
	memo = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, memo)
	return strings.NewReplacer("%3a", ":", `\u003a`, ":").Replace(strings.ToLower(memo))
}

type Transfer struct {
	Recipient string // address of the wallet, not of the token account
	Mint      string
	Units     int64
	Memo      string
	Label     string
	Reference string
}

func (t Transfer) Link() string {
	var b strings.Builder
	fmt.Fprintf(&b, "solana:%s?amount=%s&spl-token=%s", t.Recipient, FormatUnits(t.Units), t.Mint)
	for _, field := range []struct{ name, value string }{{"reference", t.Reference}, {"label", t.Label},
		{"memo", t.Memo}} {
		if field.value != "" {
			// Some wallets do not read + as a space.
			b.WriteString("&" + field.name + "=" + strings.ReplaceAll(url.QueryEscape(field.value), "+", "%20"))
		}
	}
	return b.String()
}
