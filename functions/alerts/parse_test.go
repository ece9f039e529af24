package alerts

import (
	"strings"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

func TestParseAmount(t *testing.T) {
	for _, c := range []struct {
		text string
		want fare.Cents
	}{
		{"40", 4000}, {"40.5", 4050}, {"40.00", 4000}, {"0.01", 1}, {"100000", 10_000_000}, {"4e1", 4000},
		{"1.5E+2", 15_000}, {"+7", 700},
		{"0.005", 1}, {"0.0049999", 0}, {"40.004", 4000}, {"40.005", 4001}, {"40.015", 4002}, {"1.115", 112},
		{"1.1149999999999999999999", 111},
		{"99999.995", 10_000_000}, {"100000.0000000000000001", 0}, {"100000.01", 0}, {"100001", 0},
		{"0", 0}, {"-0", 0}, {"0.00", 0}, {"-1", 0}, {"-0.01", 0},
		{"NaN", 0}, {"Inf", 0}, {"infinity", 0}, {"0x10", 0}, {"1/3", 0}, {"1_000", 0}, {"1,5", 0}, {"1.2.3", 0},
		{"e", 0}, {"", 0}, {" 4", 0}, {"4\n", 0}, {"４", 0},
		{"1e400000000", 0}, {"1e-400000000", 0}, {"1e999", 0}, {strings.Repeat("9", 5000), 0},
		{"0." + strings.Repeat("0", 5000) + "1", 0},
	} {
		t.Run(c.text[:min(len(c.text), 30)], func(t *testing.T) {
			got, ok := parseAmount(c.text, maxThreshold)
			if ok != (c.want > 0) || ok && got != c.want {
				t.Errorf("%d %v, want %d", got, ok, c.want)
			}
		})
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add("application/json", []byte(`{"route":"MIL-BUH","email":"ada@example.com","threshold":40.5}`))
	f.Add("application/x-www-form-urlencoded", []byte("route=MIL-BUH&email=ada%40example.com&threshold=40,5"))
	f.Add("", []byte(`{"threshold":1e9,"route":null}`))
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		p, faults := parseRequest(contentType, body)
		if len(faults) > 0 {
			p := refusal(faults)
			if p.Status != 400 || len(p.Errors) == 0 || len(pageTexts(faults, i18n.Default(), false)) != len(faults) {
				t.Errorf("%+v", p)
			}
			return
		}
		if strings.ContainsAny(p.Email, "\r\n\x00 ") || !strings.Contains(p.Email, "@") || p.Threshold < 0 ||
			p.Currency == "" && p.Threshold > maxThreshold*100 {
			t.Errorf("%+v", p)
		}
		for _, code := range p.codes {
			if len(code) != 3 || strings.ToUpper(code) != code {
				t.Errorf("%+v", p)
			}
		}
	})
}
