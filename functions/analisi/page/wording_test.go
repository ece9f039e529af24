package page_test

import (
	"slices"
	"strings"
	"testing"

	"verdetto/functions/analisi/page"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

func TestOtherNightsNamed(t *testing.T) {
	day := func(s string) fare.Day {
		d, err := fare.ParseDay(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	asked := answer.Question{When: &answer.When{When: verdict.When{Date: day("2016-04-12")},
		Back: day("2016-04-19")}}
	returns := func(out, back string, cents fare.Cents) verdict.Day {
		return verdict.Day{Judged: verdict.Judged{Fare: verdict.Live{Depart: day(out), Nights: int16(day(back) - day(out)),
			Price: cents}}}
	}
	c := &verdict.Calendar{Days: []verdict.Day{returns("2016-04-11", "2016-04-18", 9000),
		returns("2016-04-13", "2016-04-18", 5000), returns("2016-04-14", "2016-04-21", 8000),
		returns("2016-04-20", "2016-04-27", 4000)}} // the last return is too far from the requested days
	for back, want := range map[string]string{
		"2016-04-18": "You asked for 7 nights; this fare is for 5 nights. For 7 nights we know €80: " +
			"Thursday 14 April 2016 – Thursday 21 April 2016.",
		"2016-04-20": "",
	} {
		if got := page.OtherNights(i18n.English(), asked, returns("2016-04-13", back, 0).Fare, c); got != want {
			t.Errorf("back %s: %q, want %q", back, got, want)
		}
	}
}

func TestManyCountries(t *testing.T) {
	cities := []fare.City{"MAD", "BCN", "VIE", "BRU", "SOF", "PRG", "CPH", "HEL", "PAR", "BER", "ATH", "BUD",
		"DUB", "RIX", "OSL"}
	first, others := page.AreasOf(i18n.English(), cities)
	if n := len(first); n != 12 || !slices.Contains(first, "Spain") || !slices.IsSorted(first) ||
		!slices.Equal(others, []string{"Latvia", "Norway"}) {
		t.Errorf("%d countries: %v, others: %v", n, first, others)
	}
}

func TestWaitingIsAdvisedOnlyWhereItPaid(t *testing.T) {
	lead, soon := 40, 7
	week := verdict.Forecast{Fall: verdict.Fall{Days: 7, Chance: .4, OrMore: true}, Mean: -210, Low: -300, High: -100,
		Dearer: .29}
	fortnight := week
	fortnight.Days, fortnight.Mean = 14, -450
	paid := fortnight
	paid.Pays = true
	for _, c := range []struct {
		name      string
		forecasts []verdict.Forecast
		want      string
	}{
		{"cheaper on average, and not for sure", []verdict.Forecast{week, fortnight},
			"Non contarci: su 100 prezzi simili almeno 40 in calo dopo 7 giorni, 0 in aumento"},
		{"it has paid", []verdict.Forecast{week, paid},
			"In media sì: su 100 prezzi simili almeno 40 in calo dopo 14 giorni, 0 in aumento"},
		{"too late to tell", nil, "Non possiamo dirlo Si parte entro una settimana: con così poco anticipo non sappiamo che " +
			"cosa succede a chi aspetta."},
	} {
		ahead := &lead
		if c.forecasts == nil {
			ahead = &soon
		}
		got := page.WaitAdvice(i18n.ForCode("it"), verdict.Judgement{Lead: ahead, Forecasts: c.forecasts})
		if got := strings.ReplaceAll(got, "\u00a0", " "); got != c.want {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}
