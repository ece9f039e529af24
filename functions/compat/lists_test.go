package compat_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/upstream/sample"
)

func listed(d document) (all []string) {
	for _, f := range d.Data {
		all = append(all, strings.TrimSpace(f.DepartureDate+" "+f.ReturnDate)+" "+f.Price.Total)
	}
	return all
}

// calendar returns the departures in the service's own calendars that kept accepts.
func calendar(s *service, query string, stays []string,
	kept func(depart, back fare.Day, price fare.Cents) bool) (all []string) {
	for _, stay := range stays {
		for _, g := range s.ours("/v1/calendario?origine=Milano&destinazione=Londra&notti=" + stay + query).Giorni {
			depart, _ := fare.ParseDay(g.Partenza)
			back, _ := fare.ParseDay(g.Ritorno)
			if kept == nil || kept(depart, back, g.Cent) {
				all = append(all, strings.TrimSpace(g.Partenza+" "+g.Ritorno)+" "+written(g.Cent))
			}
		}
	}
	slices.Sort(all)
	return all
}

func TestDatesAreThoseOfTheCalendar(t *testing.T) {
	t.Parallel()
	s := world(t)
	returns := []string{"1-3", "4-7", "8-14", "15%2B"}
	day := func(text string) fare.Day {
		d, err := fare.ParseDay(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, c := range []struct {
		name, asked string
		want        []string
	}{
		{"one-way", "oneWay=true", calendar(s, "", []string{""}, nil)},
		{"one-way, non-stop", "oneWay=true&nonStop=true", calendar(s, "&diretto=true", []string{""}, nil)},
		{"one-way, a day", "oneWay=true&departureDate=2016-04-20",
			calendar(s, "", []string{""}, func(d, _ fare.Day, _ fare.Cents) bool { return d == day("2016-04-20") })},
		{"one-way, a range from before today", "oneWay=true&departureDate=2016-02-20,2016-04-20",
			calendar(s, "", []string{""}, func(d, _ fare.Day, _ fare.Cents) bool { return d <= day("2016-04-20") })},
		{"one-way, cheap", "oneWay=true&maxPrice=40",
			calendar(s, "", []string{""}, func(_, _ fare.Day, c fare.Cents) bool { return c <= 40_00 })},
		{"returns", "", calendar(s, "", returns, func(d, b fare.Day, _ fare.Cents) bool { return b-d <= 15 })},
		{"returns of a stay", "duration=5", calendar(s, "", returns,
			func(d, b fare.Day, _ fare.Cents) bool { return b-d == 5 })},
		{"returns of stays", "duration=2,8", calendar(s, "", returns,
			func(d, b fare.Day, _ fare.Cents) bool { return b-d >= 2 && b-d <= 8 })},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := s.get(dates + lists + "&" + c.asked)
			if diff := cmp.Diff(c.want, listed(d)); diff != "" || len(c.want) == 0 || d.Meta.Count != len(c.want) {
				t.Errorf("%d (-calendar +dates): %s", d.status, diff)
			}
			for _, f := range d.Data {
				page, err := url.Parse(f.Links["flightOffers"])
				if err != nil || page.Host != "verdetto.example" || page.Path != "/" ||
					page.Query().Get("quando") != f.DepartureDate || page.Query().Get("ritorno") != f.ReturnDate ||
					page.Query().Get("da") != "MIL" {
					t.Fatalf("the page is %q", f.Links["flightOffers"])
				}
			}
		})
	}
	// For a range of stays, the list has the cheapest stay of each departure.
	all := s.get(dates + lists + "&duration=1,14")
	lowest := map[string]string{}
	for _, f := range all.Data {
		if was, ok := lowest[f.DepartureDate]; !ok || cents(f.Price.Total) < cents(was) {
			lowest[f.DepartureDate] = f.Price.Total
		}
	}
	byDate := s.get(dates + lists + "&duration=1,14&viewBy=DATE")
	for _, f := range byDate.Data {
		if lowest[f.DepartureDate] != f.Price.Total {
			t.Errorf("of %s %s is the cheapest, want %s", f.DepartureDate, f.Price.Total, lowest[f.DepartureDate])
		}
	}
	if len(byDate.Data) != len(lowest) || len(all.Data) <= len(lowest) {
		t.Errorf("%d departures on %d days, by date %d", len(all.Data), len(lowest), len(byDate.Data))
	}
	weeks := map[string]string{}
	for _, f := range byDate.Data {
		year, week := day(f.DepartureDate).Time().ISOWeek()
		at := fmt.Sprint(year, week)
		if was, ok := weeks[at]; !ok || cents(f.Price.Total) < cents(was) {
			weeks[at] = f.Price.Total
		}
	}
	byWeek := s.get(dates + lists + "&duration=1,14&viewBy=WEEK")
	for _, f := range byWeek.Data {
		year, week := day(f.DepartureDate).Time().ISOWeek()
		if weeks[fmt.Sprint(year, week)] != f.Price.Total {
			t.Errorf("of the week of %s %s is the cheapest", f.DepartureDate, f.Price.Total)
		}
	}
	if len(byWeek.Data) != len(weeks) || len(weeks) >= len(lowest) {
		t.Errorf("%d weeks, by week %d", len(weeks), len(byWeek.Data))
	}
}

func cents(text string) fare.Cents {
	var units, hundredths fare.Cents
	fmt.Sscanf(text, "%d.%d", &units, &hundredths)
	return 100*units + hundredths
}

func TestDestinationsAreOurDeals(t *testing.T) {
	t.Parallel()
	s := world(t)
	want := map[string]fare.Cents{}
	for _, o := range s.ours("/v1/occasioni?origine=Milano").Occasioni {
		want[o.DestinazioneIata] = o.Prezzo.Cent
	}
	d := s.get(destinations + "origin=MIL&oneWay=true")
	last, got := fare.Cents(0), map[string]fare.Cents{}
	for _, f := range d.Data {
		price := cents(f.Price.Total)
		got[f.Destination.(string)] = price
		if price < last {
			t.Errorf("%s comes after one of %d", f.Price.Total, last)
		}
		last = price
		if d.Dictionaries.Locations[f.Destination.(string)].DetailedName == "" {
			t.Errorf("%s has no name", f.Destination)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 10 || d.Meta.Count != len(want) ||
		d.Meta.Defaults["viewBy"] != "DESTINATION" {
		t.Errorf("(-deals +destinations): %s", diff)
	}
	in := s.get(destinations + "origin=MIL&oneWay=true&departureDate=2016-05-01,2016-05-31")
	may := s.ours("/v1/occasioni?origine=Milano&mese=2016-05").Occasioni
	if len(may) != len(in.Data) || len(may) < 10 {
		t.Errorf("%d destinations in May, want %d", len(in.Data), len(may))
	}
	for _, o := range may {
		at := slices.IndexFunc(in.Data, func(f item) bool { return f.Destination == o.DestinazioneIata })
		if at < 0 || in.Data[at].Price.Total != written(o.Prezzo.Cent) ||
			in.Data[at].DepartureDate != o.Prezzo.Partenza {
			t.Errorf("%s in May: %d", o.DestinazioneIata, at)
		}
	}
	for view, most := range map[string]int{"COUNTRY": len(want) - 1, "DATE": 330, "WEEK": 60} {
		if v := s.get(destinations + "origin=MIL&oneWay=true&viewBy=" + view); v.status != 200 || len(v.Data) < 5 ||
			len(v.Data) > most || cents(v.Data[0].Price.Total) > cents(d.Data[0].Price.Total) {
			t.Errorf("%s: %d, %d of %d", view, v.status, len(v.Data), most)
		}
	}
	if v := s.get(destinations + "origin=MIL&oneWay=true&maxPrice=25&nonStop=true"); v.status != 200 ||
		len(v.Data) == 0 || len(v.Data) >= len(want) || cents(v.Data[len(v.Data)-1].Price.Total) > 25_00 {
		t.Errorf("cheap and non-stop: %d %s", v.status, v.body)
	}
}

// A request without oneWay is about returns.
func TestDestinationsOfReturns(t *testing.T) {
	t.Parallel()
	s := world(t)
	want := map[string]string{} // the cheapest of all stays
	least := map[string]fare.Cents{}
	classes := map[string]int{}
	for _, nights := range []string{"1-3", "4-7", "8-14", "15%2B"} {
		all := s.ours("/v1/occasioni?origine=Milano&notti=" + nights).Occasioni
		classes[nights] = len(all)
		for _, o := range all {
			p := o.Prezzo
			if had, ok := least[o.DestinazioneIata]; (!ok || p.Cent < had) && nightsOf(t, p.Partenza, p.Ritorno) <= 15 {
				least[o.DestinazioneIata], want[o.DestinazioneIata] = p.Cent,
					p.Partenza+" "+p.Ritorno+" "+written(p.Cent)
			}
		}
	}
	got := map[string]string{}
	d := s.get(destinations + "origin=MIL")
	for _, f := range d.Data {
		got[f.Destination.(string)] = f.DepartureDate + " " + f.ReturnDate + " " + f.Price.Total
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 || d.status != 200 || len(d.codes()) != 0 {
		t.Errorf("%d %v (-deals +destinations): %s", d.status, d.codes(), diff)
	}
	t.Logf("%d destinations; by class %v", len(want), classes)
	for query, code := range map[string]int{"&duration=4,7": 10005, "&viewBy=DURATION": 0, "&viewBy=WEEK": 10005} {
		v := s.get(destinations + "origin=MIL" + query)
		if v.status != 200 || len(v.Data) == 0 || slices.Contains(v.codes(), 10005) != (code > 0) {
			t.Errorf("%s: %d %s", query, v.status, v.body)
		}
		for _, f := range v.Data {
			if n := nightsOf(t, f.DepartureDate, f.ReturnDate); strings.Contains(query, "duration") &&
				(n < 4 || n > 7) {
				t.Errorf("%s: %d nights", query, n)
			}
		}
	}
}

func nightsOf(t *testing.T, depart, back string) int {
	t.Helper()
	from, err := fare.ParseDay(depart)
	if err != nil {
		t.Fatal(err)
	}
	to, err := fare.ParseDay(back)
	if err != nil {
		t.Fatal(err)
	}
	return int(to - from)
}

func TestParts(t *testing.T) {
	t.Parallel()
	s := world(t)
	for name, query := range map[string]string{"dates": dates + lists + "&oneWay=true", "destinations": destinations +
		"origin=MIL&oneWay=true"} {
		whole := s.get(query)
		if _, ok := whole.Meta.Links["next"]; ok || len(whole.Data) != whole.Meta.Count || len(whole.Data) < 15 {
			t.Fatalf("%s: the whole list has %d of %d", name, len(whole.Data), whole.Meta.Count)
		}
		var forth, back []string
		size := len(whole.Data)/4 + 1
		limit := fmt.Sprint("&page%5Blimit%5D=", size)
		at := s.get(query + limit)
		var last document
		for n := 0; ; n++ {
			forth = append(forth, listed(at)...)
			last = at
			next, ok := at.Meta.Links["next"]
			if !ok || n > 100 {
				break
			}
			if !strings.Contains(next, "page%5Boffset%5D=") {
				t.Fatalf("SDKs cannot read %s", next)
			}
			at = s.get(strings.TrimPrefix(next, "https://verdetto.example"))
		}
		if diff := cmp.Diff(listed(whole), forth); diff != "" {
			t.Errorf("%s, forth (-whole +parts): %s", name, diff)
		}
		if got := s.get(strings.TrimPrefix(last.Meta.Links["last"],
			"https://verdetto.example")); !cmp.Equal(listed(got), listed(last)) || len(last.Data) > size {
			t.Errorf("%s: last leads to %v", name, listed(got))
		}
		for at = last; ; {
			back = append(listed(at), back...)
			previous, ok := at.Meta.Links["previous"]
			if !ok {
				break
			}
			at = s.get(strings.TrimPrefix(previous, "https://verdetto.example"))
		}
		if diff := cmp.Diff(listed(whole), back); diff != "" {
			t.Errorf("%s, back (-whole +parts): %s", name, diff)
		}
		if beyond := s.get(query + "&page%5Boffset%5D=5000" + limit); beyond.status != 200 || len(beyond.Data) != 0 {
			t.Errorf("%s: beyond the end there are %d", name, len(beyond.Data))
		}
	}
}

// If single departures must not be shown, the list has the cheapest fare of each month.
func TestFaresNotShown(t *testing.T) {
	t.Parallel()
	all := world(t)
	few := worldOf(t, named{sample.New()})
	d := few.get(dates + lists + "&oneWay=true")
	want := map[string]string{}
	for _, f := range all.get(dates + lists + "&oneWay=true").Data {
		month := f.DepartureDate[:7]
		if was, ok := want[month]; !ok || cents(f.Price.Total) < cents(was) {
			want[month] = f.Price.Total
		}
	}
	got := map[string]string{}
	for _, f := range d.Data {
		got[f.DepartureDate[:7]] = f.Price.Total
	}
	if diff := cmp.Diff(want, got); diff != "" || len(d.Data) != len(want) || !slices.Equal(d.codes(), []int{10003}) {
		t.Errorf("%d (-cheapest +shown): %s", d.status, diff)
	}
}

// named puts the sample source under the display rules of the real source.
type named struct{ *sample.Source }

func (named) Name() string { return "travelpayouts" }
