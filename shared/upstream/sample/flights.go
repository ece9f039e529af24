package sample

import (
	"strings"

	"verdetto/shared/fare"
)

var airports = map[fare.City]string{
	"MIL": "BGY MXP LIN", "ROM": "FCO CIA", "VCE": "VCE TSF", "LON": "STN LGW LHR LTN", "PAR": "ORY CDG BVA",
	"BUH": "OTP", "TCI": "TFS", "NYC": "JFK EWR", "TYO": "HND NRT", "IST": "IST SAW", "BUE": "EZE",
	"WAW": "WAW WMI", "BRU": "CRL BRU", "BKK": "BKK",
}

var carriers = map[fare.City]string{
	"LON": "BA", "PAR": "AF", "BCN": "VY", "MAD": "IB", "BER": "LH", "MUC": "LH", "PRG": "QS", "VIE": "OS",
	"AMS": "KL", "BRU": "SN", "LIS": "TP", "ATH": "A3", "DUB": "EI", "BUD": "W6", "BUH": "RO", "TIA": "W6",
	"WAW": "LO", "CPH": "SK", "MLA": "KM", "IST": "TK", "RAK": "AT", "NYC": "DL", "MIA": "AA", "TYO": "NH",
	"BKK": "TG", "DXB": "EK", "BUE": "AR", "TCI": "NT", "PMI": "VY", "IBZ": "VY",
}

const (
	homeCarrier = "AZ"
	lowCost     = "FR U2"
)

func flightsOf(r *route) (all []fare.Flight) {
	airline := func(city fare.City) string {
		if code := carriers[city]; code != "" {
			return code
		}
		return homeCarrier
	}
	names := []string{airline(r.Origin), airline(r.Destination)}
	if r.kind != far {
		names = append(names, strings.Fields(lowCost)...)
	}
	for i := range min(3, 1+r.daily/2) {
		draw := mix(r.seed + 100 + uint64(i))
		f := fare.Flight{From: airport(r.Origin, draw>>8), To: airport(r.Destination, draw>>16)}
		f.Airline, _ = fare.ParseAirline(names[(draw>>24)%uint64(len(names))])
		all = append(all, f)
	}
	return all
}

func airport(city fare.City, draw uint64) fare.Airport {
	codes := strings.Fields(airports[city])
	if len(codes) == 0 {
		codes = []string{string(city)}
	}
	a, _ := fare.ParseAirport(codes[draw%uint64(len(codes))])
	return a
}

// The result of flight does not depend on the day on which the fare is found.
func (r *route) flight(depart fare.Day, stops fare.Stops) fare.Flight {
	draw := mix(r.seed ^ uint64(depart)<<8 ^ uint64(stops)<<3)
	f := r.services[draw%uint64(len(r.services))]
	minutes := 35 + int(r.km/12.5)
	switch draw >>= 16; stops {
	case fare.OneStop:
		minutes += 75 + int(draw%240)
	case fare.MoreStops:
		minutes += 240 + int(draw%400)
	}
	f.Minutes = int16(minutes - minutes%5)
	return f
}

func (r *route) between(a fare.Airports, f fare.Fare) fare.Fare {
	if a.Include(f.Flight) {
		return f
	}
	for i, flight := range r.services {
		if a.Include(flight) {
			dearer := 104 + fare.Cents(mix(r.seed^uint64(f.Depart)<<12^uint64(i))%27)
			flight.Minutes = f.Flight.Minutes
			f.Price, f.Flight = f.Price*dearer/100, flight
			break
		}
	}
	return f
}
