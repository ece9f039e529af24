package pay

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

// alteredMemos are what wallets, exchanges and people make of a binding memo.
var alteredMemos = map[string]func(memo string) string{
	"as it was":              func(m string) string { return m },
	"text before":            func(m string) string { return "x " + m },
	"text after":             func(m string) string { return m + " x" },
	"text around":            func(m string) string { return "Verdetto Pro (" + m + "), thanks" },
	"letters right before":   func(m string) string { return "memo" + m },
	"letters right after":    func(m string) string { return m + "abc" },
	"upper case":             strings.ToUpper,
	"lower case":             strings.ToLower,
	"title":                  func(m string) string { return strings.ToUpper(m[:1]) + m[1:] },
	"NUL after":              func(m string) string { return m + "\x00" },
	"NULs around":            func(m string) string { return "\x00\x00" + m + "\x00\x00" },
	"NUL within":             func(m string) string { return m[:10] + "\x00" + m[10:] },
	"NUL in the prefix":      func(m string) string { return m[:2] + "\x00" + m[2:] },
	"spaces around":          func(m string) string { return "  " + m + "  " },
	"tab and line break":     func(m string) string { return "\t" + m + "\r\n" },
	"line break within":      func(m string) string { return m[:16] + "\r\n" + m[16:] },
	"bell within":            func(m string) string { return m[:8] + "\a" + m[8:] },
	"delete within":          func(m string) string { return m[:8] + "\x7f" + m[8:] },
	"zero-width space":       func(m string) string { return m[:8] + "\u200b" + m[8:] },
	"byte order mark":        func(m string) string { return "\ufeff" + m },
	"direction marks":        func(m string) string { return "\u202a" + m + "\u202c" },
	"not UTF-8 around":       func(m string) string { return "\xff" + m + "\xfe" },
	"quotes":                 func(m string) string { return `"` + m + `"` },
	"single quotes":          func(m string) string { return "'" + m + "'" },
	"typographic quotes":     func(m string) string { return "“" + m + "”" },
	"JSON text":              func(m string) string { b, _ := json.Marshal(m); return string(b) },
	"JSON object":            func(m string) string { b, _ := json.Marshal(map[string]string{"memo": m}); return string(b) },
	"JSON, escaped twice":    func(m string) string { return strings.ReplaceAll(`{"memo":"`+m+`"}`, "vd1:", `vd1\u003A`) },
	"as in a URL":            url.QueryEscape,
	"a link":                 func(m string) string { return "solana:abc?memo=" + url.QueryEscape(m) + "&label=x" },
	"twice":                  func(m string) string { return m + m },
	"length in front":        func(m string) string { return "[26] " + m },
	"after the prefix again": func(m string) string { return "vd1:" + m },
	"upper case with NULs":   func(m string) string { return "\x00" + strings.ToUpper(m[:9]) + "\x00" + strings.ToUpper(m[9:]) },
}

// TestAlteredMemosBind: whatever a wallet made of a memo, the address that it binds may claim the payment, and no other.
func TestAlteredMemosBind(t *testing.T) {
	if len(alteredMemos) < 30 {
		t.Fatalf("%d variants", len(alteredMemos))
	}
	for _, email := range []string{"anna@example.com", "bob@example.com", "carl@example.org"} {
		memo := BindingMemo(pepper, email)
		for name, alter := range alteredMemos {
			altered := []string{alter(memo)}
			if !MayClaim(pepper, email, altered) {
				t.Errorf("%s: %q may not be claimed by whose it is", name, altered)
			}
			if MayClaim(pepper, "eve@example.com", altered) {
				t.Errorf("%s: %q may be claimed by a stranger", name, altered)
			}
		}
	}
}
