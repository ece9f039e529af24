package compat

import (
	"fmt"
	"net/url"
	"strconv"

	"verdetto/shared/fare"
	"verdetto/shared/web/routes"
)

// The codes of our own warnings; docs/from-amadeus.md lists them. A warning about missing data has
// the same code as the error noData.
var (
	wholeCity    = kind{10001, "ALL AIRPORTS OF THE CITY"}
	stayAssumed  = kind{10002, "RETURNS OF 4 TO 7 NIGHTS"}
	byMonth      = kind{10003, "CHEAPEST DEPARTURE OF EACH MONTH ONLY"}
	oneWayOnly   = kind{10004, "ONE-WAY FARES ONLY"}
	returnsOfAny = kind{10005, "RETURNS OF ANY DATE"}
)

func warning(of kind, detail string) fault { return fault{kind: of, Detail: detail} }

// meta describes an answer as a whole.
type meta struct {
	Count    int       `json:"count"`
	Currency string    `json:"currency,omitempty"`
	Links    links     `json:"links"`
	Defaults *defaults `json:"defaults,omitempty"`
}

// links holds the URL of this answer, and those of the other parts of a list.
type links struct {
	Self     string `json:"self"`
	First    string `json:"first,omitempty"`
	Previous string `json:"previous,omitempty"`
	Next     string `json:"next,omitempty"`
	Last     string `json:"last,omitempty"`
}

// defaults holds the values that were used for missing parameters.
type defaults struct {
	DepartureDate string `json:"departureDate,omitempty"`
	OneWay        *bool  `json:"oneWay,omitempty"`
	Duration      string `json:"duration,omitempty"`
	NonStop       *bool  `json:"nonStop,omitempty"`
	ViewBy        string `json:"viewBy,omitempty"`
}

// amount formats cents as units with two decimals.
func amount(c fare.Cents) string { return fmt.Sprintf("%d.%02d", c/100, c%100) }

func (s *Service) selfLink(p *parameters) links { return links{Self: s.address(p.path, p.values)} }

// address returns a URL of this service.
func (s *Service) address(path string, query url.Values) string {
	if len(query) == 0 {
		return s.BaseURL + path
	}
	return s.BaseURL + path + "?" + query.Encode()
}

// A list can be split into parts of page[limit] items, starting at page[offset]. Without a limit
// the list is whole, because programs without paging expect that.
const (
	limitName  = "page[limit]"
	offsetName = "page[offset]"
	mostOnPage = 1000
)

// part is the requested part of a list.
type part struct{ offset, limit int }

func (p *parameters) part() (of part) {
	of.offset, _ = p.number(offsetName, 0, 1_000_000)
	of.limit, _ = p.number(limitName, 1, mostOnPage)
	return of
}

// partOf returns the requested part of a list, with links to the others. An offset counts items
// from the start of the list.
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

// dictionaries explain the codes of an answer.
type dictionaries struct {
	Currencies map[string]string       `json:"currencies"`
	Locations  map[string]locationName `json:"locations"`
}

type locationName struct {
	SubType string `json:"subType"`
	Name    string `json:"detailedName"`
}

// dictionary returns the names of an answer's places. Its amounts are in EUR.
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

// total is the price of a list item, in the currency of the answer.
type total struct {
	Total string `json:"total"`
}

// pageURL returns the URL of our page with the verdict on a departure. It replaces the link to an
// offer, because there are no offers here.
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

// listURL returns the URL of a list of flights.
func (s *Service) listURL(name string, query url.Values, f filter) string {
	query.Set("oneWay", strconv.FormatBool(f.oneWay))
	query.Set("nonStop", strconv.FormatBool(f.nonStop))
	return s.address(routes.Named(name).Path, query)
}
