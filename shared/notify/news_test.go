package notify

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

func summaryOf(asOf fare.Day) verdict.RouteSummary {
	var all []fare.Observation
	for week := range 40 {
		day := asOf - fare.Day(7*week)
		price := fare.Cents(4000 + 500*(week*7%11))
		if week == 0 {
			price = 1499
		}
		if week >= 10 && week < 13 {
			continue
		}
		all = append(all, fare.Observation{Found: day.Time().Unix() + 3600, Depart: day + 30, Price: price})
	}
	return verdict.Build(all, verdict.RouteSummary{}, asOf, verdict.Options{})
}

var route = fare.Route{Origin: "MIL", Destination: "BUH"}

const asOf = fare.Day(16861) // 2016-03-01

func someNews(t *testing.T) news {
	t.Helper()
	n, ok := newsOf(route, summaryOf(asOf), asOf)
	if !ok {
		t.Fatal("nothing to see")
	}
	return n
}

func TestNewsOf(t *testing.T) {
	n := someNews(t)
	a, _ := verdict.Judge(summaryOf(asOf), asOf.Time())
	want := news{Route: route, Day: asOf, Price: 1499, Depart: asOf + 30, Found: asOf.Time().Unix() + 3600,
		Level: a.Verdict.Level, Reliability: a.Verdict.Reliability, Percentile: a.Verdict.Percentile,
		Median: a.Verdict.Median, Minimum: a.Verdict.Minimum, Sample: a.Verdict.Sample, Lows: n.Lows}
	if diff := cmp.Diff(want, n, cmpopts.IgnoreUnexported(news{})); diff != "" {
		t.Error(diff)
	}
	if n.Level != verdict.Great {
		t.Errorf("level %s: the case is not what it should be", n.Level)
	}
	if n.Lows[weeks-1] != 7500 || n.Lows[weeks-9] == 0 || n.Lows[weeks-10] != 0 || n.Lows[weeks-12] != 0 ||
		n.Lows[weeks-13] == 0 {
		t.Errorf("lows %v", n.Lows)
	}
	for _, c := range []struct {
		name    string
		summary verdict.RouteSummary
		today   fare.Day
	}{
		{"a summary of an earlier refresh", summaryOf(asOf - 1), asOf},
		{"a summary of a later refresh", summaryOf(asOf + 1), asOf},
		{"no fare", verdict.Build(nil, verdict.RouteSummary{}, asOf, verdict.Options{}), asOf},
		{"departed", verdict.Build([]fare.Observation{{Found: (asOf - 2).Time().Unix(), Depart: asOf - 1, Price: 1}},
			verdict.RouteSummary{}, asOf, verdict.Options{}), asOf},
	} {
		if n, ok := newsOf(route, c.summary, c.today); ok {
			t.Errorf("%s: %+v", c.name, n)
		}
	}
}

func TestLive(t *testing.T) {
	n := someNews(t)
	soon := n
	soon.Depart = asOf + 2
	stale := n
	stale.Found = (asOf - 5).Time().Unix()
	for _, c := range []struct {
		name  string
		news  news
		today fare.Day
		want  bool
	}{
		{"at once", n, asOf, true},
		{"a week later", n, asOf + 7, true},
		{"eight days later", n, asOf + 8, false},
		{"on the day of departure", soon, asOf + 2, true},
		{"departed", soon, asOf + 3, false},
		{"seen a week ago", stale, asOf + 2, true},
		{"seen eight days ago", stale, asOf + 3, false},
	} {
		if got := c.news.live(c.today); got != c.want {
			t.Errorf("%s: live %v, want %v", c.name, got, c.want)
		}
	}
}
