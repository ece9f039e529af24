package i18n

import (
	"testing"
	"time"

	"verdetto/shared/fare"
)

func TestMoney(t *testing.T) {
	for _, c := range []struct {
		cents                        fare.Cents
		italian, english, it00, en00 string // in full, and without the cents where there are none
	}{
		{1, "0,01\u00a0€", "€0.01", "0,01\u00a0€", "€0.01"},
		{99_999, "999,99\u00a0€", "€999.99", "999,99\u00a0€", "€999.99"},
		{100_000, "1.000,00\u00a0€", "€1,000.00", "1.000\u00a0€", "€1,000"},
		{-4_990, "−49,90\u00a0€", "€−49.90", "−49,90\u00a0€", "€−49.90"},
		{0, "0,00\u00a0€", "€0.00", "0\u00a0€", "€0"},
		{fare.MaxPrice, "100.000,00\u00a0€", "€100,000.00", "100.000\u00a0€", "€100,000"},
	} {
		it, en := In("it"), In("en")
		got := [4]string{it.Amount(c.cents), en.Amount(c.cents), it.Money(c.cents), en.Money(c.cents)}
		if want := [4]string{c.italian, c.english, c.it00, c.en00}; got != want {
			t.Errorf("%d: %q, want %q", c.cents, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int][2]string{0: {"0", "0"}, 999: {"999", "999"}, 1000: {"1.000", "1,000"}, 1234567: {"1.234.567", "1,234,567"}} {
		if got := [2]string{In("it").Number(n), In("en").Number(n)}; got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestMoment(t *testing.T) {
	for _, c := range []struct{ at, italian, english string }{
		{"2026-09-01T00:30:00Z", "1º settembre 2026, ore 00:30 UTC", "1 September 2026, 00:30 UTC"},
		{"2026-12-31T23:59:59-05:00", "1º gennaio 2027, ore 04:59 UTC", "1 January 2027, 04:59 UTC"},
		{"2028-02-29T12:00:00Z", "29 febbraio 2028, ore 12:00 UTC", "29 February 2028, 12:00 UTC"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if it, en := In("it").Moment(at), In("en").Moment(at); it != c.italian || en != c.english {
			t.Errorf("%s is %q and %q", c.at, it, en)
		}
	}
}

// TestCalendar: every month and day of the week has its own name.
func TestCalendar(t *testing.T) {
	for _, l := range Languages() {
		seen := map[string]bool{}
		for m := time.January; m <= time.December; m++ {
			seen[l.Month(m)] = true
			if initial := l.MonthInitial(m); len([]rune(initial)) != 1 || l.MonthShort(m) == "" {
				t.Errorf("%s: %s is %q and %q", l.Code, m, initial, l.MonthShort(m))
			}
		}
		monday, _ := fare.ParseDay("2016-02-29")
		for d := monday; d < monday+7; d++ {
			seen[l.WeekdayDate(d)] = true
		}
		if len(seen) != 12+7 {
			t.Errorf("%s: %d names", l.Code, len(seen))
		}
	}
	day, _ := fare.ParseDay("2016-02-29")
	if it, en := In("it").WeekdayDate(day), In("en").WeekdayDate(day); it != "lunedì 29 febbraio 2016" || en != "Monday 29 February 2016" {
		t.Errorf("%q, %q", it, en)
	}
}

func TestList(t *testing.T) {
	for _, c := range []struct {
		names   []string
		italian string
	}{
		{nil, ""}, {[]string{"maggio"}, "maggio"}, {[]string{"maggio", "giugno"}, "maggio e giugno"}, {[]string{"a", "b", "c"}, "a, b e c"},
	} {
		if got := In("it").List(c.names); got != c.italian {
			t.Errorf("%q: %q", c.names, got)
		}
	}
	if got := In("en").List([]string{"a", "b", "c"}); got != "a, b and c" {
		t.Errorf("%q", got)
	}
}

// TestFixedTexts: a text that nothing is filled into is looked up once, as every
// number and date of a page has some.
func TestFixedTexts(t *testing.T) {
	for _, l := range Languages() {
		want := l.Text("format.decimal")
		if n := testing.AllocsPerRun(100, func() {
			if got := l.Text("format.decimal"); got != want {
				t.Errorf("%q, then %q", want, got)
			}
		}); n > 2 {
			t.Errorf("%s: %v allocations", l.Code, n)
		}
	}
}
