package ecb

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

func day(t *testing.T, s string) fare.Day {
	t.Helper()
	d, err := fare.ParseDay(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOn(t *testing.T) {
	tests := []struct {
		name, on, currency string
		date               string
		rate               float64
	}{
		{"before the table: its first entry", "2001-05-05", "USD", "2014-01-31", 1.3516},
		{"on a day of publication", "2014-01-31", "USD", "2014-01-31", 1.3516},
		{"in the month after it", "2014-02-27", "GBP", "2014-01-31", 0.82135},
		{"after the table: its newest", "2040-01-01", "USD", "2026-10-30", 1.1172},
		{"no rouble once it was no longer published", "2024-06-01", "RUB", "2024-05-31", 0},
		{"the lev while it was published", "2025-06-10", "BGN", "2025-05-30", 1.9558},
		{"the lev since it is no more", "2026-02-10", "BGN", "2026-01-30", 1.95583},
		{"the kuna while it floated", "2014-02-01", "HRK", "2014-01-31", 7.6515},
		{"tied", "2016-01-01", "MKD", "2015-12-31", 61.5},
		{"euro", "2016-01-01", "EUR", "2015-12-31", 1},
		{"unheard of", "2016-01-01", "XTS", "2015-12-31", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rates := Table().RatesOn(day(t, test.on))
			if got := rates.Date.String(); got != test.date {
				t.Errorf("date %s, want %s", got, test.date)
			}
			rate, ok := rates.Rate(test.currency)
			if ok != (test.rate != 0) || rate != test.rate {
				t.Errorf("rate %v, %v; want %v", rate, ok, test.rate)
			}
		})
	}
}

func TestTableIsWhole(t *testing.T) {
	rates := Table().rates
	if first := rates[0].Date.String(); !strings.HasPrefix(first, "2014-01") {
		t.Errorf("begins with %s", first)
	}
	for i := 1; i < len(rates); i++ {
		a, b := rates[i-1], rates[i]
		if gap := b.Date - a.Date; gap < 25 || gap > 36 {
			t.Errorf("%d days between %s and %s", gap, a.Date, b.Date)
		}
		for _, currency := range a.Currencies() {
			before, _ := a.Rate(currency)
			after, ok := b.Rate(currency)
			if ok && math.Abs(math.Log(after/before)) > 0.45 {
				t.Errorf("%s goes from %v to %v by %s", currency, before, after, b.Date)
			}
		}
	}
	for _, currency := range []string{"USD", "GBP", "HUF", "RON", "CZK", "PLN", "SEK", "CHF", "JPY"} {
		for _, r := range rates {
			if _, ok := r.Rate(currency); !ok {
				t.Errorf("no %s on %s", currency, r.Date)
			}
		}
	}
}

func TestParseTableRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":        "",
		"no entries":     "date,USD\n",
		"no day":         "date,USD\nMonday,1.1\n",
		"disorder":       "date,USD\n2020-02-01,1.1\n2020-01-01,1.1\n",
		"a zero":         "date,USD\n2020-02-01,0\n",
		"a word":         "date,USD\n2020-02-01,N/A\n",
		"too few cells":  "date,USD,GBP\n2020-02-01,1\n",
		"a long country": "date,DOLLAR\n2020-02-01,1\n",
	} {
		if h, err := parseTable([]byte(text)); err == nil {
			t.Errorf("%s: read as %v", name, h.rates)
		}
	}
}

const daily = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
	<Cube>
		<Cube time='2026-11-20'>
			<Cube currency='USD' rate='1.2500'/>
			<Cube currency='JPY' rate='180.5'/>
		</Cube>
	</Cube>
</gesmes:Envelope>`

func TestCurrent(t *testing.T) {
	newest := Table().Newest()
	tests := []struct {
		name   string
		status int
		body   string
		date   string
		usd    float64
		warns  bool
	}{
		{"the feed's", 200, daily, "2026-11-20", 1.25, false},
		{"a feed that lags behind", 200, strings.Replace(daily, "2026-11-20", "2026-10-29", 1), "2026-10-30", 1.1172,
			false},
		{"down", 503, "", "2026-10-30", 1.1172, true},
		{"not XML", 200, "<html><p>maintenance</html>", "2026-10-30", 1.1172, true},
		{"cut", 200, daily[:400], "2026-10-30", 1.1172, true},
		{"no rates", 200, `<Envelope><Cube><Cube time="2026-11-20"/></Cube></Envelope>`, "2026-10-30", 1.1172, true},
		{"two days", 200, `<Envelope><Cube><Cube time="2026-11-20"/><Cube time="2026-11-19"/></Cube></Envelope>`,
			"2026-10-30", 1.1172, true},
		{"no day", 200, strings.Replace(daily, "2026-11-20", "today", 1), "2026-10-30", 1.1172, true},
		{"a rate that is none", 200, strings.Replace(daily, "180.5", "-1", 1), "2026-10-30", 1.1172, true},
		{"endless", 200, daily + strings.Repeat(" ", maxFeed), "2026-10-30", 1.1172, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.status)
				_, _ = w.Write([]byte(test.body))
			}))
			defer server.Close()
			var log bytes.Buffer
			rates := Current(t.Context(), &Feed{URL: server.URL}, Table(), slog.New(slog.NewTextHandler(&log, nil)))
			usd, _ := rates.Rate("USD")
			if rates.Date.String() != test.date || usd != test.usd {
				t.Errorf("%s: USD %v; want %s: %v", rates.Date, usd, test.date, test.usd)
			}
			if bam, _ := rates.Rate("BAM"); bam != 1.95583 {
				t.Errorf("BAM %v", bam)
			}
			if warned := log.Len() > 0; warned != test.warns ||
				(warned && !strings.Contains(log.String(), "2026-10-30")) {
				t.Errorf("log %q", log.String())
			}
		})
	}
	t.Run("no feed", func(t *testing.T) {
		if diff := cmp.Diff(newest, Current(t.Context(), nil, Table(), nil)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a caller that has given up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var log bytes.Buffer
		if got := Current(ctx, &Feed{URL: "http://127.0.0.1:1"}, Table(),
			slog.New(slog.NewTextHandler(&log, nil))); got.Date != newest.Date {
			t.Errorf("date %s", got.Date)
		}
	})
}

func TestPegs(t *testing.T) {
	now := Table().Newest()
	for _, line := range strings.Split(strings.TrimSpace(string(committedPegs)), "\n")[1:] {
		f := strings.SplitN(line, ",", 6)
		rate, ok := now.Rate(f[0])
		base, _ := now.Rate(f[1])
		if fixed, err := strconv.ParseFloat(f[2], 64); err != nil || !ok || math.Abs(rate-base*fixed) > 1e-9 {
			t.Errorf("%s: %v", line, rate)
		}
		if _, err := fare.ParseDay(f[3]); err != nil || len(f[5]) < 10 {
			t.Errorf("%s: want a day and a source", line)
		}
		if ended, ok := now.Ended[f[0]]; ok != (f[4] != "") || ok && ended.String() != f[4] {
			t.Errorf("%s: ended %s", line, ended)
		}
	}
	for currency, offered := range map[string]bool{"AED": true, "SAR": true, "QAR": true, "BHD": true, "OMR": true,
		"JOD": true, "XCD": true, "MOP": true, "BGN": false, "HRK": false, "LTL": false, "KWD": false, "RUB": false} {
		if slices.Contains(now.Currencies(), currency) != offered {
			t.Errorf("%s is offered: %v", currency, !offered)
		}
	}
	if last := now.Ended["RUB"].String(); last != "2022-02-28" {
		t.Errorf("the last rate of RUB is of %s", last)
	}
}

func FuzzParseDaily(f *testing.F) {
	f.Add([]byte(daily))
	f.Add([]byte(daily[:300]))
	f.Add([]byte(`<a><Cube><Cube time="2026-11-20"><Cube currency="USD" rate="1e999"/></Cube></Cube></a>`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, document []byte) {
		rates, err := parseDaily(document)
		if err != nil {
			return
		}
		for _, currency := range rates.Currencies() {
			if rate, ok := rates.Rate(currency); !ok || math.IsInf(rate, 0) || len(currency) != 3 {
				t.Errorf("%s %v", currency, rate)
			}
		}
		if !slices.Contains(rates.Currencies(), "USD") {
			t.Error("no USD")
		}
	})
}
