package pay

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

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
		return 0, fmt.Errorf("read amount %q: want more than nothing and at most %d USDC", text, math.MaxInt64/UnitsPerUSDC)
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

const bindingBytes = 16

// BindingMemo is the memo that binds a payment to an address. Without the
// operator's pepper nobody can tell from a memo, which all the world can read,
// whose it is.
func BindingMemo(pepper []byte, email string) string {
	mac := hmac.New(sha256.New, pepper)
	mac.Write([]byte("payment memo\x00" + apikey.Normalize(email)))
	return binding + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:bindingBytes])
}

// MayClaim tells whether an address may claim a payment with those memos: one
// that is bound to the address, or one that is bound to none.
func MayClaim(pepper []byte, email string, memos []string) bool {
	own, bound := BindingMemo(pepper, email), false
	for _, memo := range memos {
		memo = strings.TrimSpace(memo)
		if hmac.Equal([]byte(memo), []byte(own)) {
			return true
		}
		bound = bound || isBinding(memo)
	}
	return !bound
}

// isBinding takes a memo that only begins like a binding one for plain text: it
// can be nobody's, and a payer who wrote it should not lose the payment.
func isBinding(memo string) bool {
	rest, ok := strings.CutPrefix(memo, binding)
	if !ok {
		return false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(rest)
	return err == nil && len(b) == bindingBytes
}

// Transfer is a payment that a wallet is asked to make.
type Transfer struct {
	Recipient string // wallet, not its token account
	Mint      string
	Units     int64
	Memo      string // may be empty
	Label     string // who asks; may be empty
}

// Link is the transfer as a Solana Pay address, which wallets open or scan.
func (t Transfer) Link() string {
	var b strings.Builder
	fmt.Fprintf(&b, "solana:%s?amount=%s&spl-token=%s", t.Recipient, FormatUnits(t.Units), t.Mint)
	for _, field := range []struct{ name, value string }{{"label", t.Label}, {"memo", t.Memo}} {
		if field.value != "" {
			// Wallets undo percent signs but not every one takes + for a space.
			b.WriteString("&" + field.name + "=" + strings.ReplaceAll(url.QueryEscape(field.value), "+", "%20"))
		}
	}
	return b.String()
}
