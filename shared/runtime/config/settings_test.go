package config

import (
	"strings"
	"testing"

	"github.com/caarlos0/env/v11"
)

func TestSettings(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Settings {
		for _, name := range []string{s.Name, "-" + s.Flag} {
			if name != "-" && seen[name] {
				t.Errorf("two rows have %s", name)
			}
			seen[name] = true
		}
		if s.Default != "" && s.Without != "" || s.Give == "" || s.Fits == nil {
			t.Errorf("%s: its row is not whole", s.Name)
		}
		if s.Default != "" && len(s.Faults(s.Default)) > 0 {
			t.Errorf("%s: its default is refused: %v", s.Name, s.Faults(s.Default))
		}
		if s.Secret && s.Flag != "" {
			t.Errorf("%s: a list of processes shows a flag", s.Name)
		}
	}
	for _, group := range []any{&Store{}, &HTTP{}, &Secret{}, &Upstream{}, &Publication{}, &Quotas{}, &Public{}, &Pay{},
		&Operator{}, &Mail{}, &SMTP{}, &Fanout{}, &Work{}, &Clock{}} {
		fields, err := env.GetFieldParams(group)
		if err != nil || len(fields) == 0 {
			t.Fatal(group, err)
		}
		for _, f := range fields {
			if s, ok := Named(f.Key); !ok {
				t.Errorf("%T reads %s, which has no row in Settings", group, f.Key)
			} else if f.NotEmpty && s.Default != "" {
				t.Errorf("%s: required, and yet it has a default", f.Key)
			}
		}
	}
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		name, value string
		fits        bool
	}{
		{"VERDETTO_STORE", "bolt:verdetto.db", true}, {"VERDETTO_STORE", "bolt:", false},
		{"VERDETTO_STORE", "verdetto.db", false}, {"VERDETTO_STORE", "dynamodb:verdetto", true},
		{"VERDETTO_UPSTREAM", "csv:fares.csv", true}, {"VERDETTO_UPSTREAM", "csv:", false},
		{"VERDETTO_UPSTREAM", "amadeus", false},
		{"VERDETTO_LISTEN", ":8080", true}, {"VERDETTO_LISTEN", "[::1]:0", true}, {"VERDETTO_LISTEN", "8080", false},
		{"VERDETTO_LISTEN", "127.0.0.1:http", false}, {"VERDETTO_LISTEN", "127.0.0.1:99999", false},
		{"VERDETTO_TLS", "verdetto.example", true}, {"VERDETTO_TLS", "verdetto.example, WWW.verdetto.example", true},
		{"VERDETTO_TLS", "*.verdetto.example", false}, {"VERDETTO_TLS", "192.0.2.1", false},
		{"VERDETTO_TLS", "[2001:db8::1]", false},
		{"VERDETTO_TLS", "https://verdetto.example", false}, {"VERDETTO_TLS", "verdetto.example:443", false},
		{"VERDETTO_TLS", "verdetto.example,", false}, {"VERDETTO_TLS", "localhost", false},
		{"VERDETTO_TLS", "verdetto example.com", false},
		{"VERDETTO_ACME", "https://issuer.example/dir", true}, {"VERDETTO_ACME", "http://issuer.example/dir", false},
		{"VERDETTO_BEHIND", "127.0.0.1, 10.0.0.0/8,2001:db8::/32", true}, {"VERDETTO_BEHIND", "proxy.example", false},
		{"VERDETTO_BEHIND", "0.0.0.0/0", false}, {"VERDETTO_BEHIND", "::/0", false},
		{"VERDETTO_BEHIND", "10.0.0.1/8", false},
		{"VERDETTO_BEHIND", "fe80::1%eth0", false}, {"VERDETTO_BEHIND", "127.0.0.1,", false},
		{"VERDETTO_BASE_URL", "https://verdetto.example", true}, {"VERDETTO_BASE_URL", "http://127.0.0.1:8080", true},
		{"VERDETTO_BASE_URL", "http://[::1]:8080", true},
		{"VERDETTO_BASE_URL", "http://verdetto.example", false},
		{"VERDETTO_BASE_URL", "https://verdetto.example/", false}, {"VERDETTO_BASE_URL", "verdetto.example", false},
		{"VERDETTO_BASE_URL", "https://a:b@verdetto.example", false},
		{"VERDETTO_NOW", "2016-03-01T12:00:00Z", true}, {"VERDETTO_NOW", "2016-03-01", true},
		{"VERDETTO_NOW", "yesterday", false},
		{"VERDETTO_CALLS_A_DAY", "0", true}, {"VERDETTO_CALLS_A_DAY", "-1", false},
		{"VERDETTO_CALLS_A_DAY", "20k", false},
		{"VERDETTO_PRICE_USDC", "12.99", true}, {"VERDETTO_PRICE_USDC", "0.00", false},
		{"VERDETTO_PRICE_USDC", "12,99", false}, {"VERDETTO_PRICE_USDC", "1.0000001", false},
		{"SOLANA_WALLET", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", true},
		{"SOLANA_WALLET", "11111111111111111111111111111111", true},
		{"SOLANA_WALLET", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt", false},
		{"SOLANA_WALLET", "0x52908400098527886E0F7030069857D2E4169EE7", false},
		{"STRIPE_KEY", "sk_live_abc", true}, {"STRIPE_KEY", "rk_live_abc", true}, {"STRIPE_KEY", "pk_live_abc", false},
		{"VERDETTO_MAIL_FROM", "Verdetto <mail@verdetto.example>", true}, {"VERDETTO_MAIL_FROM", "Verdetto", false},
		{"VERDETTO_OPERATOR_EMAIL", "help@verdetto.example", true},
		{"VERDETTO_OPERATOR_EMAIL", "Help <help@verdetto.example>", false},
	} {
		s, ok := Named(c.name)
		if !ok {
			t.Fatalf("no setting %s", c.name)
		}
		if fits := len(s.Faults(c.value)) == 0; fits != c.fits {
			t.Errorf("%s: %q fits: %v, want %v", c.name, c.value, fits, c.fits)
		}
		if text := strings.Join(s.Faults(c.value), "\n"); !c.fits &&
			(!s.List && s.Secret == strings.Contains(text, c.value) || !c.fits && text == "" ||
				!strings.Contains(text, c.name+": ") || !strings.Contains(text, " is not ")) {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}
