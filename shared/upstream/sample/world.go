package sample

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"strings"

	"verdetto/shared/fare"
)

type town struct {
	code     fare.City
	lat, lon float64
	rank     int
	beach    bool
}

var towns = []town{
	{"MIL", 45.5, 9.2, 3, false}, {"ROM", 41.9, 12.5, 3, false}, {"VCE", 45.4, 12.3, 2, false},
	{"NAP", 40.9, 14.3, 2, false}, {"BLQ", 44.5, 11.3, 2, false}, {"TRN", 45.1, 7.7, 1, false},
	{"PSA", 43.7, 10.4, 1, false}, {"VRN", 45.4, 11.0, 1, false}, {"BRI", 41.1, 16.9, 2, false},
	{"CTA", 37.5, 15.1, 3, true}, {"PMO", 38.1, 13.4, 2, true}, {"CAG", 39.2, 9.1, 2, true},
	{"OLB", 40.9, 9.5, 1, true}, {"LON", 51.5, -0.1, 3, false}, {"PAR", 48.9, 2.4, 3, false},
	{"BCN", 41.4, 2.2, 3, false}, {"MAD", 40.4, -3.7, 2, false}, {"BER", 52.5, 13.4, 2, false},
	{"PRG", 50.1, 14.4, 2, false}, {"VIE", 48.2, 16.4, 2, false}, {"AMS", 52.4, 4.9, 2, false},
	{"BRU", 50.9, 4.4, 2, false}, {"LIS", 38.7, -9.1, 2, false}, {"ATH", 38.0, 23.7, 2, true},
	{"DUB", 53.3, -6.3, 2, false}, {"BUD", 47.5, 19.0, 2, false}, {"BUH", 44.4, 26.1, 2, false},
	{"TIA", 41.3, 19.8, 2, false}, {"WAW", 52.2, 21.0, 2, false}, {"CPH", 55.7, 12.6, 1, false},
	{"MUC", 48.1, 11.6, 1, false}, {"MLA", 35.9, 14.5, 1, true}, {"PMI", 39.6, 2.7, 2, true},
	{"IBZ", 38.9, 1.4, 2, true}, {"TCI", 28.3, -16.5, 1, true}, {"IST", 41.0, 29.0, 2, false},
	{"RAK", 31.6, -8.0, 1, false}, {"NYC", 40.7, -74.0, 2, false}, {"MIA", 25.8, -80.2, 1, false},
	{"TYO", 35.7, 139.7, 1, false}, {"BKK", 13.8, 100.5, 1, false}, {"DXB", 25.3, 55.3, 2, false},
	{"BUE", -34.6, -58.4, 1, false},
}

// links lists pairs of towns, which stand for both directions, by kind: always, summer or thin.
// Some pairs are also listed as stops (also flights with a stop), change (no non-stop flights) or
// returns (also fares of return trips).
//
//go:embed links.tsv
var links string

type habit int

const (
	always habit = iota
	summer
	thin
)

type flights int

const (
	straight flights = iota
	either
	change // with one stop, or sometimes more on far routes
)

type route struct {
	fare.Route
	seed     uint64
	habit    habit
	flights  flights
	returns  bool
	lively   bool     // departures are searched once a week
	phase    fare.Day // for a thin route: the day of each period on which the route is searched
	daily    int
	kind     kind
	money    money
	base     float64 // in EUR cents, before the factors for season, lead time and chance
	floor    fare.Cents
	km       float64
	services []fare.Flight
}

func plan() map[fare.City][]route {
	stops, changes, returns := linked("stops"), linked("change"), linked("returns")
	routes := map[fare.City][]route{}
	thinRoutes := 0
	for h, kind := range [...]string{always: "always", summer: "summer", thin: "thin"} {
		for _, link := range pairs(kind) {
			for _, r := range []route{newRoute(link[0], link[1], habit(h)), newRoute(link[1], link[0], habit(h))} {
				switch {
				case stops[r.Route]:
					r.flights = either
				case changes[r.Route]:
					r.flights = change
				}
				r.returns = returns[r.Route]
				if r.habit == thin {
					r.phase = fare.Day(7 * thinRoutes % thinEvery)
					thinRoutes++
				}
				routes[r.Origin] = append(routes[r.Origin], r)
			}
		}
	}
	for _, list := range routes {
		slices.SortFunc(list, func(a, b route) int { return cmp.Compare(a.Destination, b.Destination) })
	}
	return routes
}

func pairs(kind string) [][2]town {
	byCode := map[fare.City]town{}
	for _, t := range towns {
		byCode[t.code] = t
	}
	var all [][2]town
	for line := range strings.Lines(links) {
		lineKind, ends, _ := strings.Cut(line, "\t")
		origin, destinations, _ := strings.Cut(ends, ":")
		if lineKind != kind {
			continue
		}
		for destination := range strings.FieldsSeq(destinations) {
			all = append(all, [2]town{byCode[fare.City(origin)], byCode[fare.City(destination)]})
		}
	}
	return all
}

func linked(kind string) map[fare.Route]bool {
	set := map[fare.Route]bool{}
	for _, link := range pairs(kind) {
		set[fare.Route{Origin: link[0].code, Destination: link[1].code}] = true
		set[fare.Route{Origin: link[1].code, Destination: link[0].code}] = true
	}
	return set
}

func newRoute(from, to town, h habit) route {
	r := route{Route: fare.Route{Origin: from.code, Destination: to.code}, habit: h, money: moneyOf(from.code)}
	for _, b := range []byte(r.String()) {
		r.seed = mix(r.seed ^ uint64(b))
	}
	km := distance(from, to)
	r.base = 2000 + 2.2*km
	switch {
	case km > farKm:
		r.kind = far
		r.base = 8000 + 3.5*km
	case from.beach || to.beach:
		r.kind = beach
	}
	r.base *= 0.85 + 0.35*unit(mix(r.seed+1))
	r.floor = r.money.quote(r.base * (0.38 + 0.22*unit(mix(r.seed+2))))
	r.lively = from.rank*to.rank >= livelyRank && h == always
	r.daily = 1 + from.rank*to.rank
	r.km, r.services = km, flightsOf(&r)
	return r
}

const (
	farKm      = 3500
	livelyRank = 9
)

func distance(a, b town) float64 {
	const radians = math.Pi / 180
	sin2 := func(x float64) float64 { s := math.Sin(x / 2); return s * s }
	h := sin2((b.lat-a.lat)*radians) + math.Cos(a.lat*radians)*math.Cos(b.lat*radians)*sin2((b.lon-a.lon)*radians)
	return 2 * 6371 * math.Asin(math.Sqrt(h))
}
