package pay

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var alteredMemos = map[string]func(memo string) string{
	"as it was":            func(m string) string { return m },
	"text before":          func(m string) string { return "x " + m },
	"text after":           func(m string) string { return m + " x" },
	"text around":          func(m string) string { return "Verdetto Pro (" + m + "), thanks" },
	"letters right before": func(m string) string { return "memo" + m },
	"letters right after":  func(m string) string { return m + "abc" },
	"upper case":           strings.ToUpper,
	"lower case":           strings.ToLower,
	"title":                func(m string) string { return strings.ToUpper(m[:1]) + m[1:] },
	"NUL after":            func(m string) string { return m + "\x00" },
	"NULs around":          func(m string) string { return "\x00\x00" + m + "\x00\x00" },
	"NUL within":           func(m string) string { return m[:10] + "\x00" + m[10:] },
	"NUL in the prefix":    func(m string) string { return m[:2] + "\x00" + m[2:] },
	"spaces around":        func(m string) string { return "  " + m + "  " },
	"tab and line break":   func(m string) string { return "\t" + m + "\r\n" },
	"line break within":    func(m string) string { return m[:16] + "\r\n" + m[16:] },
	"bell within":          func(m string) string { return m[:8] + "\a" + m[8:] },
	"delete within":        func(m string) string { return m[:8] + "\x7f" + m[8:] },
	"zero-width space":     func(m string) string { return m[:8] + "\u200b" + m[8:] },
	"byte order mark":      func(m string) string { return "\ufeff" + m },
	"direction marks":      func(m string) string { return "\u202a" + m + "\u202c" },
	"not UTF-8 around":     func(m string) string { return "\xff" + m + "\xfe" },
	"quotes":               func(m string) string { return `"` + m + `"` },
	"single quotes":        func(m string) string { return "'" + m + "'" },
	"typographic quotes":   func(m string) string { return "“" + m + "”" },
	"JSON text":            func(m string) string { b, _ := json.Marshal(m); return string(b) },
	"JSON object": func(m string) string {
		b,
			_ := json.Marshal(map[string]string{"memo": m})
		return string(b)
	},
	"JSON, escaped twice": func(m string) string {
		return strings.ReplaceAll(`{"memo":"`+m+`"}`, "vd1:",
			`vd1\u003A`)
	},
	"as in a URL":            url.QueryEscape,
	"a link":                 func(m string) string { return "solana:abc?memo=" + url.QueryEscape(m) + "&label=x" },
	"twice":                  func(m string) string { return m + m },
	"length in front":        func(m string) string { return "[26] " + m },
	"after the prefix again": func(m string) string { return "vd1:" + m },
	"upper case with NULs": func(m string) string {
		return "\x00" + strings.ToUpper(m[:9]) + "\x00" +
			strings.ToUpper(m[9:])
	},
}

func TestAlteredMemosBind(t *testing.T) {
	if len(alteredMemos) < 30 {
		t.Fatalf("%d variants", len(alteredMemos))
	}
	for _, email := range []string{"anna@example.com", "bob@example.com", "carl@example.org"} {
		memo := BindingMemo(pepper, email)
		for name, alter := range alteredMemos {
			altered := []string{alter(memo)}
			if !Bound(altered) {
				t.Errorf("%s: %q does not bind", name, altered)
			}
			if !MayClaim(pepper, email, altered) {
				t.Errorf("%s: %q may not be claimed by whose it is", name, altered)
			}
			if MayClaim(pepper, "eve@example.com", altered) {
				t.Errorf("%s: %q may be claimed by a stranger", name, altered)
			}
		}
	}
}

func TestMemosThatHoldMore(t *testing.T) {
	const anna, eve, bob = "anna@example.com", "eve@example.com", "bob@example.com"
	line, other := BindingMemo(pepper, anna), BindingMemo(pepper, eve)
	for name, c := range map[string]struct {
		memos     []string
		bound     bool
		mayClaims []string
	}{
		"none":                         {nil, false, []string{anna, eve, bob}},
		"text":                         {[]string{"for anna@example.com"}, false, []string{anna, eve, bob}},
		"half a binding":               {[]string{line[:20]}, false, []string{anna, eve, bob}},
		"a line of its own":            {[]string{"Verdetto Pro\n" + line + "\nthanks"}, true, []string{anna}},
		"within a line":                {[]string{"order 7, " + line + ", thanks"}, true, []string{anna}},
		"beside text in another memo":  {[]string{"order 7", line}, true, []string{anna}},
		"twice":                        {[]string{line, "again " + line}, true, []string{anna}},
		"beside half of another":       {[]string{line + " " + other[:20]}, true, []string{anna}},
		"a longer word":                {[]string{line + "abcdefghijklmnopqrstuvwxyz"}, true, []string{anna}},
		"another in front":             {[]string{other + " " + line}, false, []string{anna, eve}},
		"another behind":               {[]string{line + "\n" + other}, false, []string{anna, eve}},
		"another right behind":         {[]string{line + other}, false, []string{anna, eve}},
		"another in a memo of its own": {[]string{other, line}, false, []string{anna, eve}},
		"another, hidden": {[]string{line, "\u200b" + strings.ToUpper(other[:7]) + "\x00" + other[7:]},
			false, []string{anna, eve}},
	} {
		if got := Bound(c.memos); got != c.bound {
			t.Errorf("%s: bound is %t, want %t", name, got, c.bound)
		}
		var may []string
		for _, email := range []string{anna, eve, bob} {
			if MayClaim(pepper, email, c.memos) {
				may = append(may, email)
			}
		}
		if diff := cmp.Diff(c.mayClaims, may); diff != "" {
			t.Errorf("%s: who may claim (-want +got): %s", name, diff)
		}
	}
}
