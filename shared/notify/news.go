package notify

import (
	"fmt"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/verdict"
)

type news struct {
	Route       fare.Route
	Day         fare.Day
	Price       fare.Cents
	Depart      fare.Day
	Return      fare.Day // 0 for a one-way trip; not stored
	ahead       *verdict.Judgement
	Found       int64 // Unix seconds
	Flight      fare.Flight
	Stops       fare.Stops // stored only with a known Flight
	Level       verdict.Level
	Reliability verdict.Reliability
	Percentile  int
	Median      fare.Cents
	Minimum     fare.Cents
	Sample      int
	// Lows holds the lowest known fare of each week before Day, oldest first. 0 means that no fare is
	// known.
	Lows [weeks]fare.Cents
}

const weeks = 26

// newsOf returns false if s is not of today or has no current fare.
func newsOf(route fare.Route, s verdict.RouteSummary, today fare.Day) (news, bool) {
	if s.AsOf != today {
		return news{}, false
	}
	a, ok := verdict.Judge(s, today.Time())
	if !ok {
		return news{}, false
	}
	n := newsOfFare(route, a.Fare, a.Verdict)
	n.Day = today
	for _, l := range s.Lows {
		n.low(l.Day, s.Euro(l.Price))
	}
	return n, true
}

func newsOfFare(route fare.Route, l verdict.Live, v verdict.Verdict) news {
	return news{Route: route, Price: l.Price, Depart: l.Depart, Found: l.Found, Flight: l.Flight, Stops: l.Stops,
		Level: v.Level, Reliability: v.Reliability, Percentile: v.Percentile, Median: v.Median, Minimum: v.Minimum,
		Sample: v.Sample}
}

func (n *news) low(day fare.Day, price fare.Cents) {
	back := int(n.Day-1-day) / 7
	if day >= n.Day || back >= weeks {
		return
	}
	if low := &n.Lows[weeks-1-back]; *low == 0 || price < *low {
		*low = price
	}
}

func (n news) observation() Observation {
	return Observation{Day: n.Day, Price: n.Price, Level: n.Level}
}

// lowFor returns the number of days since a fare was as cheap as the cheapest now, or since the
// oldest low. 0 means unknown.
func lowFor(s verdict.RouteSummary, today fare.Day) fare.Day {
	live, ok := s.Cheapest(today)
	if !ok || len(s.Lows) == 0 {
		return 0
	}
	first, last := today, fare.Day(0)
	for _, l := range s.Lows {
		first = min(first, l.Day)
		if l.Price <= live.Price {
			last = max(last, l.Day)
		}
	}
	return today - max(first, last)
}

func (n news) live(today fare.Day) bool {
	found := fare.DayOf(time.Unix(n.Found, 0))
	return n.Depart >= today && today-n.Day <= verdict.LiveDays && today-found <= verdict.LiveDays
}

func (n news) encode() []byte {
	first := byte(format)
	if n.Flight.Known() {
		first = newsWithFlight
	}
	w := packed.NewWriter(first, 160)
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
	if n.Flight.Known() {
		w.Uint(uint64(n.Stops))
		n.Flight.Encode(&w)
	}
	return w
}

const newsWithFlight = 2

func decodeNews(data []byte) (news, error) {
	first := byte(format)
	if len(data) > 0 && data[0] == newsWithFlight {
		first = newsWithFlight
	}
	r := packed.NewReader(data, first)
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
	if first == newsWithFlight {
		n.Stops, n.Flight = fare.Stops(min(r.Uint(), uint64(fare.MoreStops))), fare.DecodeFlight(&r)
	}
	if _, err := fare.ParseRoute(n.Route.String()); err != nil {
		r.Fail(err)
	}
	if err := r.Err(); err != nil {
		return news{}, fmt.Errorf("decode news: %w", err)
	}
	return n, nil
}
