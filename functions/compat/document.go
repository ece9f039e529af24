package compat

import (
	"fmt"
	"net/url"
	"strconv"

	"verdetto/shared/fare"
	"verdetto/shared/web/routes"
)

// The kinds of our own warnings; docs/from-amadeus.md lists them. That there are no data has the code of the error.
var (
	wholeCity    = kind{10001, "ALL AIRPORTS OF THE CITY"}
	stayAssumed  = kind{10002, "RETURNS OF 4 TO 7 NIGHTS"}
	byMonth      = kind{10003, "CHEAPEST DEPARTURE OF EACH MONTH ONLY"}
	oneWayOnly   = kind{10004, "ONE-WAY FARES ONLY"}
	returnsOfAny = kind{10005, "RETURNS OF ANY DATE"}
)

func warning(of kind, detail string) fault { return fault{kind: of, Detail: detail} }

// meta is what is said of an answer as a whole.
type meta struct {
	Count    int       `json:"count"`
	Currency string    `json:"currency,omitempty"`
	Links    links     `json:"links"`
	Defaults *defaults `json:"defaults,omitempty"`
}

// links are addresses of answers: this one, and of a list that was asked for in parts the others.
type links struct {
	Self     string `json:"self"`
	First    string `json:"first,omitempty"`
	Previous string `json:"previous,omitempty"`
	Next     string `json:"next,omitempty"`
	Last     string `json:"last,omitempty"`
}

// defaults are the parameters that were not given, as they were understood.
type defaults struct {
	DepartureDate string `json:"departureDate,omitempty"`
	OneWay        *bool  `json:"oneWay,omitempty"`
	Duration      string `json:"duration,omitempty"`
	NonStop       *bool  `json:"nonStop,omitempty"`
	ViewBy        string `json:"viewBy,omitempty"`
}

// amount writes cents as units with two decimals.
func amount(c fare.Cents) string { return fmt.Sprintf("%d.%02d", c/100, c%100) }

func (s *Service) selfLink(p *parameters) links { return links{Self: s.address(p.path, p.values)} }

// address is one of this service.
func (s *Service) address(path string, query url.Values) string {
	if len(query) == 0 {
		return s.BaseURL + path
	}
	return s.BaseURL + path + "?" + query.Encode()
}

// A list can be asked for in parts of page[limit] from page[offset] on. Without a
// limit it is whole, as programs expect that know of no parts.
const (
	limitName  = "page[limit]"
	offsetName = "page[offset]"
	mostOnPage = 1000
)

// part is which part of a list is asked for.
type part struct{ offset, limit int }

func (p *parameters) part() (of part) {
	of.offset, _ = p.number(offsetName, 0, 1_000_000)
	of.limit, _ = p.number(limitName, 1, mostOnPage)
	return of
}

// partOf is the part of a list, with the addresses of the others. An offset is of
// items, and those of other parts count from the first one.
func partOf[T any](s *Service, p *parameters, of part, list []T) ([]T, links) {
	at := s.selfLink(p)
	begin := min(of.offset, len(list))
	if of.limit == 0 && of.offset == 0 {
		return list, at
	}
	size := of.limit
	if size == 0 {
		size = max(1, len(list)-begin)
	}
	link := func(offset int) string {
		query := url.Values{}
		for name, values := range p.values {
			query[name] = values
		}
		query.Set(offsetName, strconv.Itoa(offset))
		return s.address(p.path, query)
	}
	at.First, at.Last = link(0), link(max(0, len(list)-1)/size*size)
	if begin > 0 {
		at.Previous = link(max(0, begin-size))
	}
	end := min(len(list), begin+size)
	if end < len(list) {
		at.Next = link(end)
	}
	return list[begin:end], at
}

// dictionaries say what codes stand for.
type dictionaries struct {
	Currencies map[string]string       `json:"currencies"`
	Locations  map[string]locationName `json:"locations"`
}

type locationName struct {
	SubType string `json:"subType"`
	Name    string `json:"detailedName"`
}

// dictionary names the places of an answer, whose amounts are euro.
func dictionary(all ...place) dictionaries {
	d := dictionaries{map[string]string{"EUR": "EURO"}, map[string]locationName{}}
	for _, c := range all {
		kind := "CITY"
		if c.code != string(c.City) {
			kind = "AIRPORT"
		}
		d.Locations[c.code] = locationName{kind, c.Name}
	}
	return d
}

// total is the price of an item of a list, in the currency of the answer.
type total struct {
	Total string `json:"total"`
}

// pageURL is the address of the page with our verdict on a departure. It stands where
// the address of an offer stood: there are none here.
func (s *Service) pageURL(from, to place, depart, back string, nonStop bool) string {
	query := url.Values{"da": {string(from.City)}, "a": {string(to.City)}, "quando": {depart}}
	if back != "" {
		query.Set("ritorno", back)
	}
	if nonStop {
		query.Set("diretto", "si")
	}
	return s.address("/", query)
}

// listURL is the address of a list of flights.
func (s *Service) listURL(name string, query url.Values, f filter) string {
	query.Set("oneWay", strconv.FormatBool(f.oneWay))
	query.Set("nonStop", strconv.FormatBool(f.nonStop))
	return s.address(routes.Named(name).Path, query)
}
