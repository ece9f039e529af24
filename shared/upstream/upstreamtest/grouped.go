package upstreamtest

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

// LinkMark is in every link to an offer. Tests check that LinkMark does not leave package
// travelpayouts.
const LinkMark = "4e0f3a6d8b1c2e7f"

type ticket struct {
	Origin             string  `json:"origin"`
	Destination        string  `json:"destination"`
	OriginAirport      string  `json:"origin_airport"`
	DestinationAirport string  `json:"destination_airport"`
	Price              float64 `json:"price"`
	Airline            string  `json:"airline"`
	FlightNumber       string  `json:"flight_number"`
	DepartureAt        string  `json:"departure_at"`
	ReturnAt           string  `json:"return_at,omitempty"`
	Transfers          *int    `json:"transfers,omitempty"` // nil if the stops are unknown
	ReturnTransfers    *int    `json:"return_transfers,omitempty"`
	Duration           int     `json:"duration"`
	DurationTo         int     `json:"duration_to"`
	DurationBack       int     `json:"duration_back"`
	Gate               string  `json:"gate"`
	Link               string  `json:"link"`
}

// Like the API, grouped ignores one_way: a query with min_trip_duration asks for returns.
func (s *Server) grouped(query url.Values, currency string) map[string]ticket {
	shortest := between(query.Get("min_trip_duration"), 0, fare.MaxLead)
	longest := between(query.Get("max_trip_duration"), fare.MaxLead, fare.MaxLead)
	today := fare.DayOf(s.now())
	tickets := map[string]ticket{}
	for _, r := range s.remembered(query.Get("origin"), query.Get("destination")) {
		nights := int(r.Return - r.Depart)
		switch {
		case r.Depart < today || (r.Return != 0) != (shortest > 0),
			r.Return != 0 && (nights < shortest || nights > longest),
			query.Get("direct") == "true" && r.Stops != fare.NonStop:
			continue
		}
		price, ok := s.convert(r, strings.ToUpper(currency))
		if !ok {
			continue
		}
		if best, there := tickets[r.Depart.String()]; !there || price < best.Price {
			tickets[r.Depart.String()] = spellTicket(r, price, currency)
		}
	}
	return tickets
}

func spellTicket(r upstream.Row, price float64, currency string) ticket {
	const aboutMidday = "T12:30:00+01:00"
	t := ticket{
		Origin: r.Origin, Destination: r.Destination, OriginAirport: r.Origin, DestinationAirport: r.Destination,
		Price: price, Airline: "XX", FlightNumber: "71", Gate: "test", Duration: 120, DurationTo: 120,
		DepartureAt: r.Depart.String() + aboutMidday,
		Link:        link(r, price, currency),
	}
	if n, known := r.Stops.Number(); known {
		back := 0 // Row.Stops counts the stops of the direction with more stops
		t.Transfers, t.ReturnTransfers = &n, &back
	}
	if r.Return != 0 {
		t.ReturnAt, t.DurationBack = r.Return.String()+aboutMidday, 120
	}
	return t
}

func link(r upstream.Row, price float64, currency string) string {
	return fmt.Sprintf("/search/%s%s%s1?t=XX%d%s%s_%s_%d&search_date=%s&expected_price_uuid=%s&expected_price_source=share&expected_price_currency=%s&expected_price=%s",
		r.Origin, r.Depart.Time().Format("0201"), r.Destination, r.Depart.Time().Unix(), r.Origin, r.Destination,
		LinkMark, int(price*90),
		r.Found.UTC().Format("02012006"), LinkMark, currency, strconv.FormatFloat(price, 'f', -1, 64))
}
