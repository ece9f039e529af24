package notify

import (
	"fmt"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/varint"
	"verdetto/shared/verdict"
)

// news is what there is to tell of a route after a refresh.
type news struct {
	Route  fare.Route
	Day    fare.Day // of the refresh
	Price  fare.Cents
	Depart fare.Day
	Found  int64 // when the fare was seen, Unix seconds
	Level  string
	// What follows is known where the level is.
	Reliability string
	Percentile  int
	Median      fare.Cents
	Minimum     fare.Cents
	Sample      int
	// Lows are the cheapest fares of the last weeks, oldest first, the week before
	// Day last; 0 where nothing was seen.
	Lows [weeks]fare.Cents
}

// weeks is how many weeks the picture shows before today.
const weeks = 26

// newsOf judges a route by the summary that the refresh of this very day has
// made; false where no fare is live. An older summary says nothing here: the
// refresh asks for all fares of the last days, so a route that is not in the
// answer has no live one, whatever its last summary says.
func newsOf(route fare.Route, s verdict.RouteSummary, today fare.Day) (news, bool) {
	live, ok := s.Cheapest(today)
	if !ok || s.AsOf != today {
		return news{}, false
	}
	a, ok := verdict.Judge(s, today.Time())
	if !ok {
		return news{}, false
	}
	n := news{Route: route, Day: today, Price: s.Euro(live.Price), Depart: live.Depart, Found: live.Found,
		Level: a.Verdetto.Livello, Reliability: a.Verdetto.Affidabilita, Sample: a.Verdetto.Campione}
	if v := a.Verdetto; v.Percentile != nil {
		n.Percentile, n.Median, n.Minimum = *v.Percentile, *v.MedianaCent, *v.MinimoCent
	}
	for _, l := range s.Lows {
		back := int(today-1-l.Day) / 7
		if l.Day >= today || back >= weeks {
			continue
		}
		if low, price := &n.Lows[weeks-1-back], s.Euro(l.Price); *low == 0 || price < *low {
			*low = price
		}
	}
	return n, true
}

// entry is what a history keeps of the news.
func (n news) entry() entry { return entry{n.Day, n.Price, n.Level} }

// live tells whether the news may still be sent on a day: the fare has not
// departed and was seen lately.
func (n news) live(today fare.Day) bool {
	found := fare.DayOf(time.Unix(n.Found, 0))
	return n.Depart >= today && today-n.Day <= verdict.LiveDays && today-found <= verdict.LiveDays
}

// encode packs the news.
func (n news) encode() []byte {
	w := varint.NewWriter(format, 160)
	for _, city := range []fare.City{n.Route.Origin, n.Route.Destination} {
		for i := range 3 {
			w.Int(int64(city[i]))
		}
	}
	w.Int(int64(n.Day), int64(n.Price), int64(n.Depart-n.Day), n.Found,
		int64(slices.Index(levels, n.Level)), int64(slices.Index(reliabilities, n.Reliability)),
		int64(n.Percentile), int64(n.Median), int64(n.Minimum), int64(n.Sample))
	for _, low := range n.Lows {
		w.Int(int64(low))
	}
	return w
}

// decodeNews unpacks what encode packed.
func decodeNews(data []byte) (news, error) {
	r := varint.NewReader(data, format)
	var n news
	for _, city := range []*fare.City{&n.Route.Origin, &n.Route.Destination} {
		code := make([]byte, 3)
		for i := range code {
			code[i] = byte(r.Int())
		}
		*city = fare.City(code)
	}
	n.Day, n.Price = fare.Day(r.Int()), fare.Cents(r.Int())
	n.Depart, n.Found = n.Day+fare.Day(r.Int()), r.Int()
	n.Level, n.Reliability = oneOf(levels, &r), oneOf(reliabilities, &r)
	n.Percentile, n.Median, n.Minimum = int(r.Int()), fare.Cents(r.Int()), fare.Cents(r.Int())
	n.Sample = int(r.Int())
	for i := range n.Lows {
		n.Lows[i] = fare.Cents(r.Int())
	}
	if _, err := fare.ParseRoute(n.Route.String()); err != nil {
		r.Fail(err)
	}
	if err := r.Err(); err != nil {
		return news{}, fmt.Errorf("decode news: %w", err)
	}
	return n, nil
}
