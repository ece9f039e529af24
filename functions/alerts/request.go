package alerts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/httpapi"
	"verdetto/shared/i18n"
	"verdetto/shared/mail"
	"verdetto/shared/places"
)

// wanted describes what is asked for. The description of the API names it so.
type wanted struct {
	Route     string   `json:"route" doc:"ORIGIN-DESTINATION, each an IATA code of a city or an airport" pattern:"^[A-Za-z]{3}-[A-Za-z]{3}$" example:"MIL-BUH"`
	Email     string   `json:"email" maxLength:"254" format:"email" doc:"Where the mails go" example:"ada@example.com"`
	Threshold *float64 `json:"threshold,omitempty" nullable:"true" minimum:"0.01" maximum:"100000" doc:"Euro, two decimals: mail when today's cheapest fare is at or under it. Without it, or with null: when the verdict becomes ottimo or buono" example:"49.9"`
}

// fields are those of wanted, by their names.
var fields = []string{"route", "email", "threshold"}

// MaxThreshold is the highest threshold, in euro.
const MaxThreshold = 100_000

// pendingSubscription is what is asked for, once it is understood.
type pendingSubscription struct {
	codes     [2]string // as they were given, in upper case
	route     fare.Route
	email     string
	threshold fare.Cents
}

// fault is what is wrong with a field.
type fault struct {
	field string
	text  string // its name in the catalogue, behind "fault."
	fill  []any
	kind  *httpapi.ProblemType // nil: a plain 400
}

func (f fault) in(l *i18n.Language) string { return l.Text("fault."+f.text, f.fill...) }

// refusal is the problem that names the faults.
func refusal(faults []fault) *httpapi.Problem {
	list := make([]httpapi.Fault, len(faults))
	for i, f := range faults {
		list[i] = httpapi.Fault{Name: f.field, Detail: f.in(i18n.English())}
	}
	p := httpapi.Invalid(list...)
	if kind := faults[0].kind; kind != nil {
		detail := p.Detail
		p = kind.Problem(detail)
		p.Errors = list
	}
	return p
}

// messages says what is wrong to a person.
func messages(faults []fault, l *i18n.Language) []string {
	var lines []string
	for _, f := range faults {
		name := f.field
		if f.text != "unknown_field" {
			name = l.Text("fault.field." + name)
		}
		lines = append(lines, l.Text("fault.line", "Field", name, "Fault", f.in(l)))
	}
	return lines
}

func isForm(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && kind == "application/x-www-form-urlencoded"
}

// parseRequest reads what is asked for, or names every field at fault.
func parseRequest(contentType string, body []byte) (pendingSubscription, []fault) {
	var given map[string]string
	var faults []fault
	if isForm(contentType) {
		given, faults = readForm(body)
	} else {
		given, faults = readJSON(contentType, body)
	}
	if given == nil {
		return pendingSubscription{}, faults
	}
	var p pendingSubscription
	wrong := func(field string) bool {
		return slices.ContainsFunc(faults, func(f fault) bool { return f.field == field })
	}
	missing := func(field string) {
		faults = append(faults, fault{field: field, text: "missing"})
	}
	add := func(f fault) { faults = append(faults, f) }
	switch route := given["route"]; {
	case wrong("route"): // and named already
	case route == "":
		missing("route")
	default:
		codes, ok := parseRoute(route)
		if !ok {
			add(badRoute)
		} else if same, ok := sameCity(codes); ok {
			add(fault{"route", "same_city", []any{"City", same}, &httpapi.SameCity})
		}
		p.codes = codes
	}
	switch email := given["email"]; {
	case wrong("email"):
	case email == "":
		missing("email")
	default:
		address, err := mail.ParseAddress(email)
		if err != nil {
			add(badEmail)
		}
		p.email = address
	}
	if threshold := given["threshold"]; threshold != "" && !wrong("threshold") {
		cents, ok := parseThreshold(threshold)
		if !ok {
			add(badThreshold)
		}
		p.threshold = cents
	}
	// What has a code of its own keeps it only where it is all that is wrong.
	if len(faults) > 1 {
		for i := range faults {
			faults[i].kind = nil
		}
	}
	return p, sorted(faults)
}

var (
	badRoute     = fault{field: "route", text: "route"}
	badEmail     = fault{field: "email", text: "email"}
	badThreshold = fault{field: "threshold", text: "threshold"}
)

// unknownField is a field that the request does not have. What the caller wrote is repeated, but not all of it.
func unknownField(name string) fault {
	return fault{field: fmt.Sprintf("%.40s", strings.ToValidUTF8(name, "?")), text: "unknown_field"}
}

// readForm takes what a page's form sends. Browsers send a field that is left empty as well.
func readForm(body []byte) (map[string]string, []fault) {
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, []fault{{field: "body", text: "not_form"}}
	}
	given, faults := map[string]string{}, []fault{}
	for name, all := range values {
		switch {
		case !slices.Contains(fields, name):
			faults = append(faults, unknownField(name))
		case len(all) > 1:
			faults = append(faults, fault{field: name, text: "repeated"})
		default:
			given[name] = all[0]
		}
	}
	given["threshold"] = decimalPoint(strings.TrimSpace(given["threshold"]))
	return given, faults
}

// decimalPoint reads the comma that Italians write. A comma before three digits
// may part thousands: that is left as it is, and refused.
func decimalPoint(s string) string {
	whole, decimals, found := strings.Cut(s, ",")
	if found && len(decimals) <= 2 && !strings.ContainsAny(whole+decimals, ".,") {
		return whole + "." + decimals
	}
	return s
}

func readJSON(contentType string, body []byte) (map[string]string, []fault) {
	if kind, _, err := mime.ParseMediaType(contentType); contentType != "" && (err != nil || kind != "application/json") {
		return nil, []fault{{field: "body", text: "content_type"}}
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(body, &raw); err != nil || raw == nil {
		return nil, []fault{{field: "body", text: "not_json"}}
	}
	given, faults := map[string]string{}, []fault{}
	for name, value := range raw {
		null := bytes.Equal(value, []byte("null"))
		switch {
		case !slices.Contains(fields, name):
			faults = append(faults, unknownField(name))
		case name == "threshold" && null: // as if it were not there
		case name == "threshold":
			if first := value[0]; first != '-' && (first < '0' || first > '9') {
				faults = append(faults, badThreshold)
			}
			given[name] = string(value)
		default:
			var text string
			if err := json.Unmarshal(value, &text); err != nil || null {
				faults = append(faults, fault{field: name, text: "not_text"})
			}
			given[name] = text
		}
	}
	return given, faults
}

// maxFaults bounds what is said of a request that is nothing but faults.
const maxFaults = 8

// sorted puts faults in an order of their own, as maps have none.
func sorted(faults []fault) []fault {
	slices.SortFunc(faults, func(a, b fault) int { return strings.Compare(a.field, b.field) })
	return faults[:min(len(faults), maxFaults)]
}

// parseThreshold reads euro exactly and rounds half up to cents.
func parseThreshold(s string) (fare.Cents, bool) {
	const maxLength = 32 // characters; beside them only an exponent could make the arithmetic long
	if len(s) > maxLength || strings.Trim(s, "0123456789+-.eE") != "" {
		return 0, false
	}
	// Looked at as a float first: what is in range there has no exponent that exact arithmetic minds.
	if about, err := strconv.ParseFloat(s, 64); err != nil || !(about > 0 && about <= MaxThreshold) {
		return 0, false
	}
	exact, ok := new(big.Rat).SetString(s)
	if !ok || exact.Cmp(big.NewRat(MaxThreshold, 1)) > 0 {
		return 0, false
	}
	twice := exact.Mul(exact, big.NewRat(200, 1))
	twice.Add(twice, big.NewRat(1, 1)) // floor(x + 1/2) is floor((2x + 1) / 2)
	cents := new(big.Int).Quo(twice.Num(), new(big.Int).Mul(twice.Denom(), big.NewInt(2))).Int64()
	return fare.Cents(cents), cents > 0 // what rounds to nothing would mean something else
}

// parseRoute reads two codes of three letters, in either case.
func parseRoute(s string) (codes [2]string, ok bool) {
	from, to, found := strings.Cut(s, "-")
	if !found {
		return codes, false
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

// sameCity says which city two codes are, if they are one, or one and the same.
func sameCity(codes [2]string) (string, bool) {
	from, known1 := places.CityOf(codes[0])
	to, known2 := places.CityOf(codes[1])
	if known1 && known2 && from == to {
		return string(from), true
	}
	return codes[0], codes[0] == codes[1]
}

// resolve finds the cities of the codes, or says which nobody knows.
func (p *pendingSubscription) resolve() ([]fault, error) {
	var faults []fault
	var cities [2]fare.City
	for i, code := range p.codes {
		city, ok := places.CityOf(code)
		if !ok {
			faults = append(faults, fault{"route", "unknown_city", []any{"Code", code}, &httpapi.UnknownCity})
		}
		cities[i] = city
	}
	if len(faults) > 0 {
		return faults, refusal(faults)
	}
	p.route = fare.Route{Origin: cities[0], Destination: cities[1]}
	return nil, nil
}
