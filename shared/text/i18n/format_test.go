package i18n

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

func TestMoney(t *testing.T) {
	for _, c := range []struct {
		cents                        fare.Cents
		italian, english, it00, en00 string
	}{
		{1, "0,01\u00a0€", "€0.01", "0,01\u00a0€", "€0.01"},
		{99_999, "999,99\u00a0€", "€999.99", "999,99\u00a0€", "€999.99"},
		{100_000, "1.000,00\u00a0€", "€1,000.00", "1.000\u00a0€", "€1,000"},
		{-4_990, "−49,90\u00a0€", "€−49.90", "−49,90\u00a0€", "€−49.90"},
		{0, "0,00\u00a0€", "€0.00", "0\u00a0€", "€0"},
		{fare.MaxPrice, "100.000,00\u00a0€", "€100,000.00", "100.000\u00a0€", "€100,000"},
	} {
		it, en := ForCode("it"), ForCode("en")
		got := [4]string{it.Amount(c.cents), en.Amount(c.cents), it.Money(c.cents), en.Money(c.cents)}
		if want := [4]string{c.italian, c.english, c.it00, c.en00}; got != want {
			t.Errorf("%d: %q, want %q", c.cents, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int][2]string{0: {"0", "0"}, 999: {"999", "999"}, 1000: {"1.000", "1,000"},
		1234567: {"1.234.567", "1,234,567"}} {
		if got := [2]string{ForCode("it").Number(n), ForCode("en").Number(n)}; got != want {
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
		if it, en := ForCode("it").Moment(at), ForCode("en").Moment(at); it != c.italian || en != c.english {
			t.Errorf("%s is %q and %q", c.at, it, en)
		}
	}
}

func TestCalendar(t *testing.T) {
	for _, l := range Languages() {
		seen := map[string]bool{}
		for m := time.January; m <= time.December; m++ {
			seen[l.Month(m)] = true
			seen["short "+l.MonthShort(m)] = true
		}
		monday, _ := fare.ParseDay("2016-02-29")
		for d := monday; d < monday+7; d++ {
			seen[l.WeekdayDate(d)] = true
		}
		if len(seen) != 2*12+7 {
			t.Errorf("%s: %d names", l.Code, len(seen))
		}
	}
	day, _ := fare.ParseDay("2016-02-29")
	if it, en := ForCode("it").WeekdayDate(day), ForCode("en").WeekdayDate(day); it != "lunedì 29 febbraio 2016" ||
		en != "Monday 29 February 2016" {
		t.Errorf("%q, %q", it, en)
	}
}

func TestList(t *testing.T) {
	for _, c := range []struct {
		names   []string
		italian string
	}{
		{nil, ""}, {[]string{"maggio"}, "maggio"}, {[]string{"maggio", "giugno"}, "maggio e giugno"},
		{[]string{"a", "b", "c"}, "a, b e c"},
	} {
		if got := ForCode("it").List(c.names); got != c.italian {
			t.Errorf("%q: %q", c.names, got)
		}
	}
	if got := ForCode("en").List([]string{"a", "b", "c"}); got != "a, b and c" {
		t.Errorf("%q", got)
	}
}

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

func TestFormats(t *testing.T) {
	first, _ := fare.ParseDay("2026-03-01")
	later, _ := fare.ParseDay("2026-08-12")
	for code, want := range map[string][6]string{
		"de": {"1.234.567,80\u00a0€", "1. März 2026", "Mittwoch, 12. August 2026", "a, b und c",
			"5\u00a0%", "August 2026"},
		"fr": {"1\u202f234\u202f567,80\u00a0€", "1er mars 2026", "mercredi 12 août 2026", "a, b et c",
			"5\u202f%", "août 2026"},
		"es": {"1.234.567,80\u00a0€", "1 de marzo de 2026", "miércoles 12 de agosto de 2026", "a, b y c",
			"5\u00a0%", "agosto de 2026"},
		"pt": {"1\u00a0234\u00a0567,80\u00a0€", "1 de março de 2026", "quarta-feira, 12 de agosto de 2026", "a, b e c",
			"5%", "agosto de 2026"},
	} {
		l := ForCode(code)
		got := [6]string{l.Amount(123_456_780), l.Date(first), l.WeekdayDate(later), l.List([]string{"a", "b", "c"}),
			l.Text("format.percent", "Percent", "5"), l.MonthOf(later)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", code, diff)
		}
	}
}

func TestPluralOfNothing(t *testing.T) {
	for code, like := range map[string]int{"it": 2, "en": 2, "de": 2, "es": 2, "fr": 1, "pt": 1} {
		l := ForCode(code)
		none := l.Count("ago.days", 0)
		if want := strings.Replace(l.Count("ago.days", like), strconv.Itoa(like), "0", 1); none != want {
			t.Errorf("%s: %q, want %q", code, none, want)
		}
	}
}

func TestInCurrency(t *testing.T) {
	for code, want := range map[string][3]string{
		"en": {"1,234.50\u00a0USD", "25\u00a0USD", "25.00\u00a0USD"},
		"de": {"1.234,50\u00a0USD", "25\u00a0USD", "25,00\u00a0USD"},
	} {
		l := ForCode(code)
		dollars := l.InCurrency("USD", func(c fare.Cents) fare.Cents { return c * 5 / 4 })
		if got := [3]string{dollars.Money(98760), dollars.Money(2000), dollars.Amount(2000)}; got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
		if dollars.Whole(2050) != "26" || l.Whole(2050) != "21" || l.Money(2000) == dollars.Money(2000) {
			t.Errorf("%s: %s %s %s", code, dollars.Whole(2050), l.Whole(2050), l.Money(2000))
		}
		if dollars.Text("level.buono") != l.Text("level.buono") {
			t.Errorf("%s: %s", code, dollars.Text("level.buono"))
		}
	}
}
