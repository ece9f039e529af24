package deals_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
)

const today = fare.Day(20500)

func invented(destinations int) deals.Origin {
	chance := rand.New(rand.NewPCG(3, 4))
	ron, _ := fare.ParseCurrency("RON")
	deal := func(depart fare.Day, route bool) deals.Deal {
		price := fare.Cents(1999 + 100*chance.IntN(200))
		d := deals.Deal{Judged: verdict.Judged{
			Fare: verdict.Live{Depart: depart, Price: price,
				Found: today.Time().Unix() - int64(chance.IntN(5*86400)), Stops: fare.Stops(chance.IntN(3)),
				DayOnly: chance.IntN(2) == 0, Nights: int16(chance.IntN(2) * chance.IntN(fare.MaxNights+1))},
			Verdict: verdict.Verdict{Level: verdict.Unjudged, Sample: chance.IntN(8)},
		}}
		if chance.IntN(4) > 0 {
			d.Fare.Flight = fare.Flight{From: fare.Airport([]byte{'M', 'X', 'A' + byte(chance.IntN(9))}),
				Airline: fare.Airline([]byte{'F', 'A' + byte(chance.IntN(9))}), Minutes: int16(60 + 5*chance.IntN(40))}
		}
		if chance.IntN(20) == 0 {
			d.Fare.Quoted = fare.Money{Amount: 5 * price, Currency: ron}
		}
		if chance.IntN(10) > 0 {
			d.Verdict = verdict.Verdict{
				Level:       []verdict.Level{verdict.Great, verdict.Good, verdict.Fair, verdict.Expensive}[chance.IntN(4)],
				Reliability: []verdict.Reliability{verdict.HighReliability, verdict.MediumReliability, verdict.LowReliability}[chance.IntN(3)],
				Percentile:  chance.IntN(101), Median: price + fare.Cents(chance.IntN(4000)-2000),
				Sample: 8 + chance.IntN(4000),
			}
			if !route {
				d.Verdict.Comparison = []verdict.Comparison{"", verdict.OnSaleToday, verdict.Earlier, verdict.OnSaleAndEarlier}[chance.IntN(4)]
			}
		}
		if chance.IntN(10) > 0 {
			d.OwnDay = verdict.Verdict{Level: verdict.Good, Reliability: verdict.LowReliability,
				Median: price + fare.Cents(chance.IntN(4000)-2000)}
		}
		if route {
			d.Since = d.Fare.Found + int64(chance.IntN(86400))
		}
		return d
	}
	list := func() (f deals.Fares) {
		f.Route = []deals.Deal{deal(today+3, true), deal(today+60, true)}
		for month := range fare.Day(13) {
			f.Months = append(f.Months, deal(today+4+30*month, false))
		}
		return f
	}
	var o deals.Origin
	for n := range destinations {
		e := deals.Entry{Destination: fare.City([]byte{'A' + byte(n/26/26), 'A' + byte(n/26%26),
			'A' + byte(n%26)}), AsOf: today, Observations: chance.IntN(5000), Any: list()}
		if n%4 == 0 {
			e.Collected = today - fare.Day(chance.IntN(30))
		}
		if n%3 > 0 {
			f := list()
			e.NonStop = &f
		}
		o.Entries = append(o.Entries, e)
	}
	return o
}

func TestEncode(t *testing.T) {
	for _, n := range []int{0, 1, 20, 50, 150} {
		want := invented(n)
		for i := range want.Entries[:n/2] {
			e := &want.Entries[i]
			e.Any.Airlines = slices.Clone(e.Any.Months[:3])
			if e.NonStop != nil {
				e.NonStop.Airlines = slices.Clone(e.NonStop.Months[:1])
			}
			for j := range e.Any.Airlines {
				e.Any.Airlines[j].Verdict.Comparison = ""
			}
			if e.NonStop != nil {
				e.NonStop.Airlines[0].Verdict.Comparison = ""
			}
		}
		data := want.Encode()
		got, err := deals.Decode(data)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Fatalf("%d destinations: %v %s", n, err, diff)
		}
		if n > 0 {
			t.Logf("%d destinations: %d bytes, %d each", n, len(data), len(data)/n)
			if len(data)/n > 600 {
				t.Errorf("%d bytes a destination", len(data)/n)
			}
		}
		for cut := range min(len(data), 300) {
			if _, err := deals.Decode(data[:cut]); err == nil {
				t.Fatalf("the first %d of %d bytes are taken for an origin", cut, len(data))
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(invented(3).Encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if o, err := deals.Decode(data); err == nil {
			if _, err := deals.Decode(o.Encode()); err != nil {
				t.Error(err)
			}
		}
	})
}

func entry(city fare.City, asOf fare.Day, observations int, price fare.Cents, level verdict.Level) deals.Entry {
	return deals.Entry{Destination: city, AsOf: asOf, Observations: observations,
		Any: deals.Fares{Route: []deals.Deal{{Judged: verdict.Judged{
			Fare:    verdict.Live{Depart: today + 50, Price: price, Found: asOf.Time().Unix() + 60},
			Verdict: verdict.Verdict{Level: level, Reliability: verdict.HighReliability, Percentile: 20, Median: 5000, Sample: 90},
		}, OwnDay: verdict.Verdict{Level: level, Median: 5000}}}}}
}

func TestMerge(t *testing.T) {
	first := deals.Origin{}.Merge([]deals.Entry{entry("LON", today, 10, 3000, verdict.Good), entry("BUH",
		today, 10, 3000, verdict.Good)})
	since := func(o deals.Origin, city fare.City) int64 {
		e, ok := o.Entry(city)
		if !ok {
			t.Fatalf("no %s in %+v", city, o)
		}
		return e.Any.Route[0].Since
	}
	began := today.Time().Unix() + 60
	if first.Entries[0].Destination != "BUH" || since(first, "LON") != began {
		t.Errorf("%+v", first)
	}
	for _, c := range []struct {
		name string
		now  deals.Entry
		want int64
		asOf fare.Day
	}{
		{"found again", entry("LON", today+1, 11, 3000, verdict.Good), began, today + 1},
		{"another price", entry("LON", today+1, 11, 2900, verdict.Good), began + 86400, today + 1},
		{"another level", entry("LON", today+1, 11, 3000, verdict.Great), began + 86400, today + 1},
		{"an older refresh", entry("LON", today-1, 9, 2900, verdict.Good), began, today},
		{"one that knew less", entry("LON", today, 9, 2900, verdict.Good), began, today},
	} {
		o := first.Merge([]deals.Entry{c.now})
		e, _ := o.Entry("LON")
		if since(o, "LON") != c.want || e.AsOf != c.asOf || len(o.Entries) != 2 || since(o, "BUH") != began {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
	late := first.Merge([]deals.Entry{entry("LON", today+verdict.LiveDays+1, 12, 3000, verdict.Good)})
	if len(late.Entries) != 1 {
		t.Errorf("what can be shown no more stays: %+v", late)
	}
}

func TestCheapest(t *testing.T) {
	e := invented(2).Entries[1]
	april := today + 34
	for _, c := range []struct {
		name    string
		day     fare.Day
		month   *fare.Day
		nonStop bool
		want    fare.Day
	}{
		{"at first", today, nil, false, today + 3},
		{"on its day", today + 3, nil, false, today + 3},
		{"once it has left", today + 4, nil, false, today + 60},
		{"without stops", today, nil, true, today + 3},
		{"of a month", today, &april, false, today + 34},
		{"too late", today + verdict.LiveDays + 1, nil, false, 0},
		{"before it was made", today - 1, nil, false, 0},
	} {
		d, ok := e.Cheapest(c.day, deals.Filter{Month: c.month, NonStop: c.nonStop})
		if ok != (c.want > 0) || d.Fare.Depart != c.want {
			t.Errorf("%s: %v %s", c.name, ok, d.Fare.Depart)
		}
	}
	if _, ok := invented(1).Entries[0].Cheapest(today, deals.Filter{NonStop: true}); ok {
		t.Error("a fare without stops where it is not known which are")
	}
}

func TestLower(t *testing.T) {
	seen := map[bool]int{}
	for i, e := range invented(40).Entries {
		day := today + fare.Day(i)
		d, lowest := e.Any.Route[i%2], e.Any.Route[i%2].Fare
		for _, m := range e.Any.Months {
			if m.Fare.Depart >= day && m.Fare.Price < lowest.Price {
				lowest = m.Fare
			}
		}
		lower, ok := e.Lower(d, day, deals.Filter{})
		if ok != (lowest.Price < d.Fare.Price) || lower.Fare != lowest {
			t.Errorf("%d: %v %+v, want %+v", i, ok, lower.Fare, lowest)
		}
		seen[ok]++
	}
	if seen[true] < 5 || seen[false] < 1 {
		t.Errorf("lower fares: %v", seen)
	}
}

func TestBetter(t *testing.T) {
	judged := func(level verdict.Level, percentile int, price, median fare.Cents) verdict.Judged {
		return verdict.Judged{Fare: verdict.Live{Price: price},
			Verdict: verdict.Verdict{Level: level, Percentile: percentile, Median: median}}
	}
	want := []verdict.Judged{
		judged(verdict.Great, 0, 2000, 8000), judged(verdict.Great, 0, 2000, 4000), judged(verdict.Great, 9,
			1000, 9000),
		judged(verdict.Good, 8, 2000, 4000), judged(verdict.Good, 30, 2000, 4000), judged(verdict.Expensive, 90,
			9000, 4000),
		{Verdict: verdict.Verdict{Level: verdict.Unjudged}},
	}
	got := slices.Clone(want)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, verdict.Judged.Better)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCollection(t *testing.T) {
	entry := func(asOf fare.Day, days int) deals.Entry {
		return deals.Entry{AsOf: asOf, Collected: asOf - fare.Day(days), Any: deals.Fares{Route: []deals.Deal{
			{Judged: verdict.Judged{Verdict: verdict.Verdict{Sample: days}}}}}}
	}
	for name, c := range map[string]struct {
		entries    []deals.Entry
		days       int
		since      fare.Day
		first      fare.Day
		collecting bool
	}{
		"none":         {nil, 0, 0, 0, false},
		"no live fare": {[]deals.Entry{{AsOf: today}}, 0, 0, 0, false},
		"collecting": {[]deals.Entry{entry(today, 1), entry(today-1, 3), entry(today, 0)}, 3, today - 4, today + 4,
			true},
		"collected": {[]deals.Entry{entry(today, 1), entry(today, 8)}, 0, 0, 0, false},
	} {
		got, collecting := deals.Origin{Entries: c.entries}.Collection(today)
		want := verdict.Collection{}
		if c.collecting {
			want = verdict.Collection{Days: c.days, Since: c.since, First: c.first}
		}
		if got != want || collecting != c.collecting {
			t.Errorf("%s: %+v, %t", name, got, collecting)
		}
	}
}
