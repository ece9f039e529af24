package pay

import (
	"bytes"
	"errors"
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var pepper = []byte("a pepper of thirty-two bytes or so")

func TestParseSignature(t *testing.T) {
	var low, high Signature
	low[63] = 1
	for i := range high {
		high[i] = 0xff
	}
	plain := Signature([]byte(strings.Repeat("0123456789abcdef", 4)))
	for _, c := range []struct {
		name, text string
		want       Signature
		refused    bool
	}{
		{"plain", plain.String(), plain, false},
		{"the smallest", strings.Repeat("1", 64), Signature{}, false},
		{"one", strings.Repeat("1", 63) + "2", low, false},
		{"the largest", high.String(), high, false},
		{"empty", "", Signature{}, true},
		{"a zero more in front", "1" + plain.String(), Signature{}, true},
		{"a digit less", plain.String()[1:], Signature{}, true},
		{"a digit more", plain.String() + "1", Signature{}, true},
		{"space around it", " " + plain.String(), Signature{}, true},
		{"an address", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", Signature{}, true},
		{"hex", strings.Repeat("0f", 64), Signature{}, true},
		{"base64", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYwMTIzNDU2Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZg==",
			Signature{}, true},
		{"a letter that base58 leaves out", "0" + plain.String()[1:], Signature{}, true},
		{"65 bytes in 88 letters", strings.Repeat("z", 88), Signature{}, true},
		{"very long", strings.Repeat("z", 1<<20), Signature{}, true},
		{"not ASCII", strings.Repeat("é", 44), Signature{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseSignature(c.text)
			if c.refused != errors.Is(err, ErrNotSignature) || c.refused == (err == nil) {
				t.Fatalf("error %v, refused should be %v", err, c.refused)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if err == nil && got.String() != c.text {
				t.Errorf("spelled again %q, was %q", got, c.text)
			}
		})
	}
}

func FuzzParseSignature(f *testing.F) {
	f.Add("1111", []byte{1})
	f.Add(strings.Repeat("1", 64), bytes.Repeat([]byte{255}, 64))
	f.Add(strings.Repeat("z", 88), bytes.Repeat([]byte{7}, 64))
	f.Fuzz(func(t *testing.T, text string, b []byte) {
		if s, err := ParseSignature(text); err == nil && s.String() != text {
			t.Errorf("%q is read, but spelled %q", text, s)
		}
		var s Signature
		copy(s[:], b)
		if back, err := ParseSignature(s.String()); err != nil || back != s {
			t.Errorf("%x is spelled %q and read as %x, %v", s[:], s, back[:], err)
		}
	})
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		text  string
		units int64 // 0 if ParseUnits fails
		again string
	}{
		{"12.99", 12_990_000, "12.99"},
		{"12.990", 12_990_000, "12.99"},
		{"13", 13_000_000, "13"},
		{"100", 100_000_000, "100"},
		{"0.000001", 1, "0.000001"},
		{"9223372036854.775807", math.MaxInt64, "9223372036854.775807"},
		{"9223372036854.775808", 0, ""},
		{"0.0000001", 0, ""},
		{"0", 0, ""}, {"", 0, ""}, {".5", 0, ""}, {"5.", 0, ""}, {"-1", 0, ""}, {"+1", 0, ""}, {"1e3", 0, ""},
		{"1,5", 0, ""}, {"1.2.3", 0, ""}, {" 1", 0, ""},
	} {
		units, err := ParseUnits(c.text)
		if units != c.units || (err == nil) != (c.units != 0) {
			t.Errorf("%q is %d, %v; want %d", c.text, units, err, c.units)
		}
		if err == nil && FormatUnits(units) != c.again {
			t.Errorf("%d is written %q, want %q", units, FormatUnits(units), c.again)
		}
	}
	if got := FormatUnits(0); got != "0" {
		t.Errorf("nothing is written %q", got)
	}
}

func TestMayClaim(t *testing.T) {
	anna, bob := BindingMemo(pepper, "anna@example.com"), BindingMemo(pepper, "bob@example.com")
	for _, c := range []struct {
		name  string
		memos []string
		email string
		want  bool
	}{
		{"no memo", nil, "anna@example.com", true},
		{"other text", []string{"thanks", ""}, "anna@example.com", true},
		{"bound to the address", []string{anna}, "anna@example.com", true},
		{"in another spelling", []string{anna}, " Anna@Example.COM ", true},
		{"with other text", []string{"thanks", anna + "\n"}, "anna@example.com", true},
		{"bound to somebody else", []string{bob}, "anna@example.com", false},
		{"bound to somebody else, with text", []string{"for anna", bob}, "anna@example.com", false},
		{"bound to both", []string{bob, anna}, "anna@example.com", true},
		{"only begins like one", []string{"vd1:premium"}, "anna@example.com", true},
		{"of another operator", []string{BindingMemo([]byte("other"), "anna@example.com")}, "anna@example.com", false},
	} {
		if got := MayClaim(pepper, c.email, c.memos); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if len(anna) != len("vd1:")+22 || !strings.HasPrefix(anna, "vd1:") || strings.Contains(anna, "=") {
		t.Errorf("memo %q", anna)
	}
}

func TestLink(t *testing.T) {
	transfer := Transfer{
		Recipient: "9fE6zKgca6K2EEa3yjbcq7zGMusUNqSQeWQNL2YDZ2Yi", Mint: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
		Units: 12_990_000, Memo: "vd1:a-b_c & d", Label: "Verdetto Pro",
	}
	want := "solana:9fE6zKgca6K2EEa3yjbcq7zGMusUNqSQeWQNL2YDZ2Yi?amount=12.99&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v&label=Verdetto%20Pro&memo=vd1%3Aa-b_c%20%26%20d"
	if diff := cmp.Diff(want, transfer.Link()); diff != "" {
		t.Error(diff)
	}
	parsed, err := url.Parse(transfer.Link())
	if err != nil || parsed.Query().Get("memo") != transfer.Memo {
		t.Errorf("the memo is read back as %q, %v", parsed.Query().Get("memo"), err)
	}
	transfer.Memo, transfer.Label = "", ""
	if strings.Contains(transfer.Link(), "memo") || strings.Contains(transfer.Link(), "label") {
		t.Errorf("empty fields are written: %s", transfer.Link())
	}
}

func TestSold(t *testing.T) {
	for _, c := range []struct {
		name    string
		session Session
		want    bool
	}{
		{"paid", Session{Status: Complete, Paid: true, Subscription: "sub_1", Ours: true}, true},
		{"open", Session{Status: Open, Paid: true, Subscription: "sub_1", Ours: true}, false},
		{"money on its way", Session{Status: Complete, Subscription: "sub_1", Ours: true}, false},
		{"of another price", Session{Status: Complete, Paid: true, Subscription: "sub_1"}, false},
		{"not of a subscription", Session{Status: Complete, Paid: true}, false},
	} {
		if got := c.session.Sold(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
