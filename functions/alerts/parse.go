package alerts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/answer"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/ntfy"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/web/httpapi"
)

// wanted declares the request for an alert. Fields are read in the order of declaration: the
// channel decides which address is needed, and the currency how large an amount may be.
type wanted struct {
	Channel   string   `json:"channel,omitempty" nullable:"true" enum:"mail,ntfy,telegram,webhook" default:"mail" doc:"webhook: address is an endpoint that gets signed events, and its owner confirms by email. ntfy: address is a topic, which gets the link to confirm. telegram: the answer links to the chat that confirms"`
	Route     string   `json:"route" doc:"ORIGIN-DESTINATION, each the IATA code of a city or airport. One of several airports of a city (BGY) means only fares that the source states for that airport. ORIGIN-* is to anywhere: every city with a known fare, from all airports of the origin" pattern:"^[A-Za-z]{3}-([A-Za-z]{3}|\\*)$" example:"MIL-BUH"`
	Email     string   `json:"email,omitempty" nullable:"true" maxLength:"254" doc:"Email address, for channels mail and webhook" example:"ada@example.com"`
	Currency  string   `json:"currency,omitempty" nullable:"true" pattern:"^[A-Za-z]{3}$" default:"EUR" doc:"The currency of threshold, paid and amount, such as USD; their limits are in EUR. Amounts are converted to EUR once, at the rate of the request. Messages are in this currency, at that rate"`
	Threshold *float64 `json:"threshold,omitempty" nullable:"true" minimum:"0.01" maximum:"100000" doc:"In currency, two decimals: a message at this fare or a lower one. Default: when livello becomes ottimo or buono. To anywhere: the highest price, beside level" example:"49.9"`
	Address   string   `json:"address,omitempty" nullable:"true" maxLength:"500" doc:"For webhook: the https URL of an endpoint on a public server, port 443. For ntfy: the https URL of a topic, whose messages anyone who knows the URL can read"`
	Departure string   `json:"departure,omitempty" nullable:"true" pattern:"^\\d{4}-\\d{2}-\\d{2}(\\.\\.\\d{4}-\\d{2}-\\d{2})?$" doc:"Day of departure, or the cheapest of at most 31 days such as 2027-03-18..2027-03-22. It ends the day after tomorrow or later, and begins at most 365 days ahead. The alert ends after the last departure"`
	Month     string   `json:"month,omitempty" nullable:"true" pattern:"^\\d{4}-\\d{2}$" doc:"The cheapest departure of a month, instead of departure"`
	Nights    string   `json:"nights,omitempty" nullable:"true" enum:"1-3,4-7,8-14,15+" doc:"Nights away of a return. Default: one way"`
	NonStop   bool     `json:"nonstop,omitempty" nullable:"true" doc:"Only fares without stops"`
	Airline   string   `json:"airline,omitempty" nullable:"true" maxLength:"200" doc:"Only fares of these airlines: IATA codes or names, separated by commas. A name also means its sister airlines. Refused if the current fares of the route are all of others"`
	Without   string   `json:"withoutAirline,omitempty" nullable:"true" maxLength:"200" doc:"Only fares of other airlines. Not together with airline. Fares without a named airline never count"`
	Area      string   `json:"area,omitempty" nullable:"true" doc:"For a route to anywhere: only destinations in this country (ISO 3166-1, such as ES) or continent (UN M.49, such as 150 for Europe)" pattern:"^([A-Za-z]{2}|[0-9]{3})$"`
	Kind      string   `json:"kind,omitempty" nullable:"true" enum:"threshold,verdict,low,drop,change,paid" doc:"threshold: a fare at or under threshold. verdict: livello is ottimo or buono. low: lower than on each of the last N days, N being days. drop: lower by percent or amount than in the last message or at first. change: any other price. paid: a fare under paid. Default: paid or threshold if given, otherwise verdict"`
	Level     string   `json:"level,omitempty" nullable:"true" enum:"buono,ottimo" doc:"For a route to anywhere: the lowest level that counts. Default buono. Such a route takes kind threshold or verdict, and no departure, nights or frequency weekly"`
	Days      *int     `json:"days,omitempty" nullable:"true" minimum:"7" maximum:"365" doc:"For kind low: number of days. Default 30"`
	Percent   *int     `json:"percent,omitempty" nullable:"true" minimum:"1" maximum:"90" doc:"For kind drop: percent"`
	Amount    *float64 `json:"amount,omitempty" nullable:"true" minimum:"0.01" maximum:"100000" doc:"For kind drop, instead of percent: in currency, two decimals"`
	Paid      *float64 `json:"paid,omitempty" nullable:"true" minimum:"0.01" maximum:"100000" doc:"In currency, two decimals: what you paid for a booked trip, with departure, and nights for a return. A lower fare sends a message. Implies kind paid"`
	Frequency string   `json:"frequency,omitempty" nullable:"true" enum:"now,weekly" default:"now" doc:"weekly: one mail a week with all weekly alerts of the address that are not paused, met or not. For channel mail, and departures at least 7 days ahead"`
}

var declared = sync.OnceValue(func() *huma.Schema {
	return huma.NewMapRegistry("", huma.DefaultSchemaNamer).Schema(reflect.TypeFor[wanted](), false, "")
})

var fields = func() (names []string) {
	for f := range reflect.TypeFor[wanted]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}()

const (
	euro = "EUR"
	// maxStated is the highest amount in another currency: EUR 100,000 at EUR 0.00005 per unit.
	maxThreshold, maxStated = 100_000, 2_000_000_000
	usualDays, usualDrop    = 30, "10"
	maxRange                = 31 // days
	digestDays              = 7
	maxSimilar              = 3
	byMail                  = "mail" // the channel that requests call mail, and the store calls ""
	weekly                  = "weekly"
)

type request struct {
	store.Alert           // Kind and Level hold the words of the API, which the method alert translates
	codes       [2]string // origin and destination, in upper case; the destination may be Anywhere
	paid        fare.Cents
}

func (r request) alert(today fare.Day, lang string) store.Alert {
	a := r.Alert
	a.Language, a.RequestDay = lang, today
	switch a.Kind {
	case store.Threshold, store.Verdict:
		a.Kind = ""
	case store.Paid:
		a.Threshold = r.paid
	case store.Low:
		a.Days = cmp.Or(a.Days, usualDays)
	}
	if a.Level != string(verdict.Great) {
		a.Level = ""
	}
	if a.ID = a.NewID(); a.ID != "" || a.Route.Destination == store.Anywhere {
		a.Since = today
	}
	return a
}

func parseRequest(contentType string, body []byte) (r request, faults []fault) {
	given, faults := readBody(contentType, body)
	if given == nil {
		return r, faults
	}
	wrong := func(name string) bool {
		return slices.ContainsFunc(faults, func(f fault) bool { return f.field == name })
	}
	for _, name := range fields {
		if wrong(name) || (name == "email" || name == "address") && wrong("channel") {
			continue
		}
		if f := r.set(name, given[name]); f != nil {
			faults = append(faults, *f)
		}
	}
	if len(faults) > 1 {
		for i := range faults {
			faults[i].kind = nil
		}
	}
	return r, sorted(faults)
}

func readBody(contentType string, body []byte) (map[string]string, []fault) {
	kind, _, err := mime.ParseMediaType(contentType)
	switch {
	case isForm(contentType):
		return readForm(body)
	case contentType != "" && (err != nil || kind != "application/json"):
		return nil, []fault{{field: "body", text: "content_type"}}
	}
	return readJSON(body)
}

func isForm(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/x-www-form-urlencoded"
}

// readForm accepts amounts as people type them: 45 €, $50 or 1.234,50.
func readForm(body []byte) (map[string]string, []fault) {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, []fault{{field: "body", text: "not_form"}}
	}
	given, faults := map[string]string{}, []fault{}
	for name, all := range values {
		switch {
		case declared().Properties[name] == nil:
			faults = append(faults, unknownField(name))
		case len(all) > 1:
			faults = append(faults, fault{field: name, text: "repeated"})
		default:
			given[name] = all[0]
		}
	}
	if given["kind"] == store.Drop && given["percent"]+given["amount"] == "" {
		given["percent"] = usualDrop
	}
	in, err := fare.ParseCurrency(cmp.Or(given["currency"], euro))
	if err != nil {
		return given, faults //nolint:nilerr // the method set reports this fault
	}
	from, to, _ := strings.Cut(given["route"], "-")
	for _, name := range fields {
		if declared().Properties[name].Type != huma.TypeNumber {
			continue
		}
		if price, ok := answer.ParsePrice(given[name], in, from, to); ok {
			given[name] = fare.Money{Amount: price.Amount}.Short()
			if price.Currency != in {
				given["currency"] = strings.TrimSuffix(price.Currency.String(), euro)
			}
		}
	}
	return given, faults
}

func readJSON(body []byte) (map[string]string, []fault) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil || raw == nil {
		return nil, []fault{{field: "body", text: "not_json"}}
	}
	given, faults := map[string]string{}, []fault{}
	for name, value := range raw {
		property, text := declared().Properties[name], string(value)
		null := bytes.Equal(value, []byte("null"))
		isText := !null && json.Unmarshal(value, &text) == nil
		switch {
		case property == nil:
			faults = append(faults, unknownField(name))
		case null && name != "route":
		case property.Type == huma.TypeString && !isText:
			faults = append(faults, fault{field: name, text: "not_text"})
		case property.Type != huma.TypeString && isText:
			faults = append(faults, fault{field: name, text: name})
		default:
			given[name] = text
		}
	}
	return given, faults
}

// allows does not check amounts; parseAmount does.
func allows(property *huma.Schema, value string) bool {
	var typed any = value
	switch property.Type {
	case huma.TypeNumber:
		return true
	case huma.TypeInteger:
		n, err := strconv.ParseFloat(value, 64)
		if typed = n; err != nil {
			return false
		}
	case huma.TypeBoolean: // JSON has true and false; on, 1 and 0 are for forms
		return slices.Contains([]string{"true", "false", "on", "1", "0"}, value)
	}
	var result huma.ValidateResult
	huma.Validate(nil, property, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, typed, &result)
	return len(result.Errors) == 0
}

type channel struct {
	email   bool
	address func(string) (string, error)
}

var channels = map[string]channel{
	"":         {email: true},
	store.Ntfy: {address: ntfy.ParseTopic},
	store.Webhook: {email: true, address: func(address string) (string, error) {
		u, err := outbound.ParseURL(address)
		if err != nil {
			return "", err
		}
		return u.String(), nil
	}},
	store.Telegram: {}, // the address is unknown until the user starts the bot
}

func (r *request) set(name, value string) *fault {
	by, property := channels[r.Channel], declared().Properties[name]
	bad := &fault{field: name, text: name}
	if len(property.Enum) > 0 {
		bad.fill = []any{"Values", strings.Join(strings.Fields(strings.Trim(fmt.Sprint(property.Enum), "[]")), ", ")}
	}
	isAddress := name == "address"
	switch {
	case value == "" && (name == "route" || name == "email" && by.email || isAddress && by.address != nil):
		return &fault{field: name, text: "missing"}
	case value == "":
		return nil
	case name == "email" && !by.email, isAddress && by.address == nil:
		return r.notWith(name)
	case isAddress:
		bad.text += "." + r.Channel
	}
	if !allows(property, value) {
		return bad
	}
	var err error
	switch name {
	case "channel":
		r.Channel = strings.TrimPrefix(value, byMail)
	case "address":
		r.Address, err = by.address(value)
	case "route":
		from, to, _ := strings.Cut(strings.ToUpper(value), "-")
		r.codes = [2]string{from, to}
		if same, ok := sameCity(r.codes); ok {
			r.codes = [2]string{}
			return &fault{name, "same_city", []any{"City", same}, &httpapi.SameCity}
		}
	case "email":
		r.Email, err = mail.ParseAddress(value)
	case "currency":
		var in fare.Currency
		if in, err = fare.ParseCurrency(value); err == nil {
			r.Currency = strings.TrimPrefix(in.String(), euro)
		}
	case "threshold", "amount", "paid":
		most := int64(maxThreshold)
		if r.Currency != "" {
			most = maxStated
		}
		cents, ok := parseAmount(value, most)
		if !ok {
			return bad
		}
		*map[string]*fare.Cents{"threshold": &r.Threshold, "amount": &r.Amount, "paid": &r.paid}[name] = cents
		if in, err := fare.ParseCurrency(r.Currency); err == nil && (fare.Money{Amount: cents, Currency: in}).HasFraction() {
			return &fault{field: name, text: "whole", fill: []any{"Currency", r.Currency}}
		}
	case "departure":
		first, last, several := strings.Cut(value, "..")
		if !several {
			last = first
		}
		r.Trip.From, err = fare.ParseDay(first)
		if err == nil {
			r.Trip.To, err = fare.ParseDay(last)
		}
		if r.Trip.To < r.Trip.From || r.Trip.To-r.Trip.From >= maxRange {
			return bad
		}
	case "month":
		var at time.Time
		if at, err = time.Parse("2006-01", value); err == nil && r.Trip.From > 0 {
			return &fault{field: name, text: "not_both", fill: []any{"Other", "departure"}}
		}
		r.Trip.Month = true
		r.Trip.From, r.Trip.To = departure.Month.Ends(fare.DayOf(at))
	case "nights":
		r.Trip.Nights, err = fare.ParseTrip(value)
	case "nonstop":
		r.Trip.Nonstop = value == "true" || value == "on" || value == "1"
	case "airline", "withoutAirline":
		return r.setAirlines(name, value)
	case "area":
		area, ok := places.AreaOf(strings.ToUpper(value))
		if r.Area = area.Code; !ok {
			return bad
		}
	case "kind":
		r.Kind = value
	case "level":
		r.Level = value
	case "days", "percent":
		n, _ := strconv.ParseFloat(value, 64) // the function allows has checked that this does not fail
		*map[string]*int{"days": &r.Days, "percent": &r.Percent}[name] = int(n)
	case "frequency":
		r.Digest = value == weekly
	}
	if err != nil {
		return bad
	}
	return nil
}

func (r *request) notWith(field string) *fault {
	return &fault{field: field, text: "not_with", fill: []any{"Channel", cmp.Or(r.Channel, byMail)}}
}

func (r *request) setAirlines(name, value string) *fault {
	var err error
	only, except := value, ""
	if name == "withoutAirline" {
		if r.Trip.Airlines != "" {
			return &fault{field: name, text: "not_both", fill: []any{"Other", "airline"}}
		}
		only, except = "", value
	}
	if r.Trip.Airlines, err = published.ParseAirlines(only, except, name, name); err != nil {
		f := &fault{field: name, text: "airline"}
		if similar := airlines.Suggest(value, maxSimilar); len(similar) > 0 {
			f.text, f.fill = "airline_similar", []any{"Similar", strings.Join(similar, ", ")}
		}
		return f
	}
	return nil
}

// parseAmount parses an amount exactly and rounds it to cents, half cents up.
func parseAmount(s string, most int64) (fare.Cents, bool) {
	const maxLength = 32 // longer text would slow the exact arithmetic
	if len(s) > maxLength || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	// ParseFloat rejects exponents that would slow the exact arithmetic.
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

func sameCity(codes [2]string) (string, bool) {
	from, known1 := places.CityOf(codes[0])
	to, known2 := places.CityOf(codes[1])
	if known1 && known2 && from == to {
		return string(from), true
	}
	return codes[0], codes[0] == codes[1]
}

func (r *request) resolve() ([]fault, error) {
	var faults []fault
	var cities [2]fare.City
	for i, code := range r.codes {
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
	r.Route = fare.Route{Origin: cities[0], Destination: cities[1]}
	if r.Route.Destination != store.Anywhere {
		r.Trip.Airports.From, _ = places.Airport(r.codes[0])
		r.Trip.Airports.To, _ = places.Airport(r.codes[1])
	}
	return nil, nil
}

func (r *request) check(today fare.Day) (faults []fault) {
	if r.codes[1] == string(store.Anywhere) {
		return append(r.checkDigest(), r.checkAnywhere(today)...)
	}
	faults = r.checkDigest()
	for name, value := range map[string]string{"level": r.Level, "area": r.Area} {
		if value != "" {
			faults = append(faults, fault{field: name, text: "only_anywhere"})
		}
	}
	faults = append(faults, r.checkDeparture(today)...)
	if r.Kind == "" && r.paid > 0 {
		r.Kind = store.Paid
	}
	only := func(name string, given bool, kind string) {
		if given && r.Kind != kind {
			faults = append(faults, fault{field: name, text: "only_with", fill: []any{"Kind", kind}})
		}
	}
	faults = append(faults, r.checkKind()...)
	only("days", r.Days > 0, store.Low)
	only("percent", r.Percent > 0, store.Drop)
	only("amount", r.Amount > 0, store.Drop)
	only("paid", r.paid > 0, store.Paid)
	switch {
	case r.Kind == store.Paid && r.paid == 0:
		faults = append(faults, fault{field: "paid", text: "missing"})
	case r.Kind == store.Paid && (r.Trip.From == 0 || r.Trip.Month) && today > 0:
		faults = append(faults, fault{field: "departure", text: "paid_departure"})
	case r.Kind == store.Drop && r.Percent > 0 && r.Amount > 0:
		faults = append(faults, fault{field: "amount", text: "not_both", fill: []any{"Other", "percent"}})
	case r.Kind == store.Drop && r.Percent == 0 && r.Amount == 0:
		faults = append(faults, fault{field: "kind", text: "drop_wants"})
	}
	return faults
}

// A new alert is first checked tomorrow, and a message on the day of departure is too late.
func (r *request) checkDeparture(today fare.Day) []fault {
	t, name := r.Trip, "departure"
	if t.Month {
		name = "month"
	}
	switch first := store.FirstCheck(today); {
	case t.From == 0 || today == 0:
		return nil
	case t.To < today || t.From > today+answer.MaxAhead:
		return []fault{{field: name, text: "departure_when"}}
	case t.To <= first:
		return []fault{{name, "too_soon", []any{"First", first}, &TooSoon}}
	case r.Digest && t.To < today+digestDays:
		return []fault{{"frequency", "too_soon_weekly", []any{"First", today + digestDays}, &TooSoon}}
	}
	return nil
}

var TooSoon = httpapi.ProblemType{Status: http.StatusBadRequest, Code: "avviso-troppo-tardi",
	Title: "The alert would come too late"}

func (r *request) checkKind() []fault {
	switch {
	case r.Threshold > 0 && r.paid > 0:
		return []fault{{field: "threshold", text: "not_with_paid"}}
	case r.Kind != "" && r.Kind != store.Threshold && r.Threshold > 0:
		return []fault{{field: "threshold", text: "only_with", fill: []any{"Kind", store.Threshold}}}
	case r.Kind == store.Threshold && r.Threshold == 0:
		return []fault{{field: "threshold", text: "missing"}}
	}
	return nil
}

func (r *request) checkAnywhere(today fare.Day) (faults []fault) {
	for _, f := range []struct {
		field string
		given bool
	}{
		{"departure", r.Trip.From > 0 && !r.Trip.Month},
		{"nights", r.Trip.Nights != fare.OneWay},
		{"kind", r.Kind != "" && r.Kind != store.Threshold && r.Kind != store.Verdict},
		{"days", r.Days > 0}, {"percent", r.Percent > 0}, {"amount", r.Amount > 0}, {"paid", r.paid > 0},
	} {
		if f.given {
			faults = append(faults, fault{field: f.field, text: "not_anywhere"})
		}
	}
	if len(faults) > 0 {
		return faults
	}
	return append(r.checkDeparture(today), r.checkKind()...)
}

// numbersOf lists the request fields that the owner can change later.
var numbersOf = map[string][]string{
	store.Threshold: {"threshold"}, store.Verdict: {"threshold"}, store.Low: {"days"},
	store.Drop: {"percent", "amount"}, store.Paid: {"paid"},
}

func readNumbers(a store.Alert, form url.Values) (r request, faults []fault) {
	in, err := fare.ParseCurrency(cmp.Or(a.Currency, euro))
	if err != nil {
		in = fare.EUR // only valid codes are stored
	}
	kind := a.Condition()
	r.Currency = a.Currency
	if kind != store.Threshold && kind != store.Verdict { // the threshold decides between these two kinds
		r.Kind = kind
	}
	for _, name := range numbersOf[kind] {
		value := strings.TrimSpace(form.Get(name))
		if declared().Properties[name].Type == huma.TypeNumber {
			if price, ok := fare.ParsePrice(value, in); ok && price.Currency == in {
				value = price.Short()
			}
		}
		if f := r.set(name, value); f != nil {
			faults = append(faults, *f)
		}
	}
	if len(faults) == 0 {
		faults = r.check(0)
	}
	return r, faults
}

func (r request) number(a *store.Alert) {
	a.Currency, a.Stated, a.Rate = r.Currency, r.Stated, r.Rate
	switch a.Condition() {
	case store.Threshold, store.Verdict:
		a.Threshold = r.Threshold
	case store.Low:
		a.Days = cmp.Or(r.Days, usualDays)
	case store.Drop:
		a.Percent, a.Amount = r.Percent, r.Amount
	case store.Paid:
		a.Threshold = r.paid
	}
}

func (r *request) checkDigest() []fault {
	switch {
	case r.Digest && r.Channel != "":
		return []fault{*r.notWith("frequency")}
	case r.Digest && r.codes[1] == string(store.Anywhere):
		return []fault{{field: "frequency", text: "not_anywhere"}}
	}
	return nil
}
