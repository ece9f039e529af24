package alerts

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
)

// The published API description uses the name wanted.
type wanted struct {
	Route     string   `json:"route" doc:"ORIGIN-DESTINATION, each the IATA code of a city or airport. One of several airports of a city (BGY) means its fares alone, if the source states airports. ORIGIN-* is to anywhere: every city with a known fare, from all airports of the origin" pattern:"^[A-Za-z]{3}-([A-Za-z]{3}|\\*)$" example:"MIL-BUH"`
	Email     string   `json:"email,omitempty" nullable:"true" maxLength:"254" format:"email" doc:"Email address, for channels mail and webhook" example:"ada@example.com"`
	Threshold *float64 `json:"threshold,omitempty" nullable:"true" minimum:"0.01" maximum:"100000" doc:"EUR, two decimals: a message at this fare or a lower one. Default: when livello becomes ottimo or buono. To anywhere: the highest price, beside level" example:"49.9"`
	Channel   string   `json:"channel,omitempty" nullable:"true" enum:"mail,ntfy,telegram,webhook" default:"mail" doc:"webhook: address is an endpoint that gets signed events, and its owner confirms by email. ntfy: address is a topic, which gets the link to confirm. telegram: the answer links to the chat that confirms"`
	Address   string   `json:"address,omitempty" nullable:"true" maxLength:"500" doc:"For webhook: the https URL of an endpoint on a public server, port 443. For ntfy: the https URL of a topic. Anyone who knows it can read the messages"`
	Departure string   `json:"departure,omitempty" nullable:"true" pattern:"^\\d{4}-\\d{2}-\\d{2}(\\.\\.\\d{4}-\\d{2}-\\d{2})?$" doc:"Day of departure, or the cheapest of at most 31 days such as 2027-03-18..2027-03-22. From the day after tomorrow to a year ahead. The alert ends after the last departure"`
	Month     string   `json:"month,omitempty" nullable:"true" pattern:"^\\d{4}-\\d{2}$" doc:"The cheapest departure of a month, instead of departure"`
	Nights    string   `json:"nights,omitempty" nullable:"true" enum:"1-3,4-7,8-14,15+" doc:"Nights away of a return. Default: one way"`
	NonStop   bool     `json:"nonstop,omitempty" nullable:"true" doc:"Only fares without stops"`
	Airline   string   `json:"airline,omitempty" nullable:"true" maxLength:"200" doc:"Only fares of these airlines: IATA codes or names, separated by commas. A name also means its sister airlines. One without a current fare on the route is refused"`
	Without   string   `json:"withoutAirline,omitempty" nullable:"true" maxLength:"200" doc:"Only fares of other airlines. Not together with airline. Fares without a named airline never count"`
	Kind      string   `json:"kind,omitempty" nullable:"true" enum:"threshold,verdict,low,drop,change,paid" doc:"threshold: a fare at or under threshold. verdict: livello is ottimo or buono. low: lower than in the last days. drop: lower by percent or amount than in the last message or at first. change: any other price. paid: a fare under paid. Default: paid or threshold if given, otherwise verdict"`
	Level     string   `json:"level,omitempty" nullable:"true" enum:"buono,ottimo" doc:"For a route to anywhere: the lowest level that counts. Default buono. Such a route takes threshold, level, area, month, nonstop, airline, withoutAirline, channel and address"`
	Area      string   `json:"area,omitempty" nullable:"true" doc:"For a route to anywhere: only destinations in this country (ISO 3166-1, such as ES) or continent (UN M.49, such as 150 for Europe)" pattern:"^([A-Za-z]{2}|[0-9]{3})$"`
	Days      *int     `json:"days,omitempty" nullable:"true" minimum:"7" maximum:"365" doc:"For kind low: days. Default 30"`
	Percent   *int     `json:"percent,omitempty" nullable:"true" minimum:"1" maximum:"90" doc:"For kind drop: percent"`
	Frequency string   `json:"frequency,omitempty" nullable:"true" enum:"now,weekly" default:"now" doc:"weekly: one mail a week with all weekly alerts of the address, met or not. For channel mail, and departures at least 7 days ahead"`
	Paid      *float64 `json:"paid,omitempty" nullable:"true" minimum:"0.01" maximum:"100000" doc:"EUR, two decimals: what you paid for a booked trip, with departure, and nights for a return. A lower fare sends a message. Implies kind paid"`
	Amount    *float64 `json:"amount,omitempty" nullable:"true" minimum:"0.01" maximum:"100000" doc:"For kind drop, instead of percent: EUR, two decimals"`
	Currency  string   `json:"currency,omitempty" nullable:"true" pattern:"^[A-Z]{3}$" default:"EUR" doc:"The currency of threshold, paid and amount, such as USD. It is converted to EUR once, at the rate of the request. Messages are in this currency, at that rate"`
}

// The currency comes before the amounts, because it decides how large they may be.
var fields = []string{"channel", "route", "email", "currency", "threshold", "address", "departure", "month",
	"nights", "nonstop", "airline", "withoutAirline", "area",
	"kind", "level", "days", "percent", "amount", "paid", "frequency"}

// The channels mail and webhook require email, the others do not.
var required = []string{"route", "email"}

const maxThreshold = 100_000

type pendingSubscription struct {
	codes     [2]string // as in the request, in upper case; the second may be Anywhere
	route     fare.Route
	email     string
	threshold fare.Cents
	channel   string
	address   string // of the channel, in canonical form
	digest    bool   // sent in the weekly digest
	area      string
	// currency and stated (the amount in it) are empty for euros.
	currency string
	stated   fare.Cents
	rate     float64 // units of currency per euro, if no amount is stated
	condition
}

// parseRequest returns the fault of every bad field.
func parseRequest(contentType string, body []byte) (p pendingSubscription, faults []fault) {
	given, faults := readBody(contentType, body)
	if given == nil {
		return p, faults
	}
	for _, name := range fields {
		wrong := func(name string) bool {
			return slices.ContainsFunc(faults, func(f fault) bool { return f.field == name })
		}
		if wrong(name) || (name == "email" || name == "address") && wrong("channel") {
			continue // the channel decides which of them are needed
		}
		if f := p.set(name, given[name]); f != nil {
			faults = append(faults, *f)
		}
	}
	// Only a single fault keeps its own error code.
	if len(faults) > 1 {
		for i := range faults {
			faults[i].kind = nil
		}
	}
	return p, sorted(faults)
}

func (p *pendingSubscription) set(name, value string) *fault {
	switch {
	case name == "address":
		return p.setAddress(value)
	case name == "email" && !p.carrier().email:
		if value != "" {
			return p.refuseWith(name)
		}
		return nil
	case value == "" && slices.Contains(required, name):
		return &fault{field: name, text: "missing"}
	case value == "":
		return nil
	case name == "channel":
		return p.setChannel(value)
	case name == "route":
		return p.setRoute(value)
	case name == "email":
		return p.setEmail(value)
	}
	switch name {
	case "threshold":
		return p.setThreshold(value)
	case "frequency":
		return p.setFrequency(value)
	case "currency":
		return p.setCurrency(value)
	case "area":
		area, ok := places.AreaOf(strings.ToUpper(value))
		if !ok {
			return &fault{field: name, text: name}
		}
		p.area = area.Code
		return nil
	case "amount", "paid":
		cents, ok := p.readAmount(value)
		if !ok {
			return &fault{field: name, text: name}
		}
		if f := p.fraction(name, cents); f != nil {
			return f
		}
		if p.amount = cents; name == "paid" {
			p.amount, p.paid = 0, cents
		}
		return nil
	}
	return p.condition.set(name, value)
}

func (p *pendingSubscription) setRoute(value string) *fault {
	codes, ok := parseRoute(value)
	if !ok {
		return &badRoute
	}
	if same, ok := sameCity(codes); ok {
		return &fault{"route", "same_city", []any{"City", same}, &httpapi.SameCity}
	}
	p.codes = codes
	return nil
}

func (p *pendingSubscription) setEmail(value string) *fault {
	address, err := mail.ParseAddress(value)
	if err != nil {
		return &badEmail
	}
	p.email = address
	return nil
}

func (p *pendingSubscription) setThreshold(value string) *fault {
	cents, ok := p.readAmount(value)
	if !ok {
		return &badThreshold
	}
	p.threshold = cents
	return p.fraction("threshold", cents)
}

// parseThreshold parses an amount in EUR exactly, rounding half cents up.
func parseThreshold(s string) (fare.Cents, bool) { return parseAmount(s, maxThreshold) }

func parseAmount(s string, most int64) (fare.Cents, bool) {
	const maxLength = 32 // characters; longer text would slow the exact arithmetic
	if len(s) > maxLength || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	// A float rejects exponents that would slow the exact arithmetic.
	if about, err := strconv.ParseFloat(s, 64); err != nil || !(about > 0 && about <= float64(most)) {
		return 0, false
	}
	exact, ok := new(big.Rat).SetString(s)
	if !ok || exact.Cmp(big.NewRat(most, 1)) > 0 {
		return 0, false
	}
	twice := exact.Mul(exact, big.NewRat(200, 1))
	twice.Add(twice, big.NewRat(1, 1)) // floor(x + 1/2) is floor((2x + 1) / 2)
	cents := new(big.Int).Quo(twice.Num(), new(big.Int).Mul(twice.Denom(), big.NewInt(2))).Int64()
	return fare.Cents(cents), cents > 0 // 0 would mean no threshold
}

// parseRoute parses two codes of three letters in either case. The second may be Anywhere ("*").
func parseRoute(s string) (codes [2]string, ok bool) {
	from, to, found := strings.Cut(s, "-")
	if !found {
		return codes, false
	}
	if to == string(store.Anywhere) {
		city, err := fare.ParseCity(from)
		return [2]string{string(city), to}, err == nil
	}
	for i, code := range []string{from, to} {
		city, err := fare.ParseCity(code)
		if err != nil {
			return codes, false
		}
		codes[i] = string(city)
	}
	return codes, true
}

// sameCity returns the code of the city if both codes name it.
func sameCity(codes [2]string) (string, bool) {
	from, known1 := places.CityOf(codes[0])
	to, known2 := places.CityOf(codes[1])
	if known1 && known2 && from == to {
		return string(from), true
	}
	return codes[0], codes[0] == codes[1]
}

func (p *pendingSubscription) resolve() ([]fault, error) {
	var faults []fault
	var cities [2]fare.City
	for i, code := range p.codes {
		city, ok := places.CityOf(code)
		if code == string(store.Anywhere) {
			city, ok = store.Anywhere, true
		}
		if !ok {
			faults = append(faults, fault{"route", "unknown_city", []any{"Code", code}, &httpapi.UnknownCity})
		}
		cities[i] = city
	}
	if len(faults) > 0 {
		return faults, refusal(faults)
	}
	p.route = fare.Route{Origin: cities[0], Destination: cities[1]}
	if p.route.Destination != store.Anywhere {
		p.trip.Airports.From, _ = places.Airport(p.codes[0])
		p.trip.Airports.To, _ = places.Airport(p.codes[1])
	}
	return nil, nil
}
