package compat

import (
	"net/url"
	"strconv"

	"verdetto/shared/fare"
	"verdetto/shared/web/routes"
)

var (
	wholeCity    = kind{10001, "ALL AIRPORTS OF THE CITY"}
	stayAssumed  = kind{10002, "RETURNS OF 4 TO 7 NIGHTS"}
	byMonth      = kind{10003, "CHEAPEST DEPARTURE OF EACH MONTH ONLY"}
	oneWayOnly   = kind{10004, "ONE-WAY FARES ONLY"}
	returnsOfAny = kind{10005, "RETURNS OF ANY DATE"}
)

func warning(k kind, detail string) fault { return fault{kind: k, Detail: detail} }

type meta struct {
	Count    int       `json:"count"`
	Currency string    `json:"currency,omitempty"`
	Links    links     `json:"links"`
	Defaults *defaults `json:"defaults,omitempty"`
}

type links struct {
	Self     string `json:"self"`
	First    string `json:"first,omitempty"`
	Previous string `json:"previous,omitempty"`
	Next     string `json:"next,omitempty"`
	Last     string `json:"last,omitempty"`
}

type defaults struct {
	DepartureDate string `json:"departureDate,omitempty"`
	OneWay        *bool  `json:"oneWay,omitempty"`
	Duration      string `json:"duration,omitempty"`
	NonStop       *bool  `json:"nonStop,omitempty"`
	ViewBy        string `json:"viewBy,omitempty"`
}

func amount(c fare.Cents) string { return fare.Money{Amount: c}.Decimal() }

func (s *Service) selfLink(p *parameters) links { return links{Self: s.address(p.path, p.values)} }

func (s *Service) address(path string, query url.Values) string {
	if len(query) == 0 {
		return s.BaseURL + path
	}
	return s.BaseURL + path + "?" + query.Encode()
}

// page[limit] has no default, because programs without paging expect the whole list.
const (
	limitName  = "page[limit]"
	offsetName = "page[offset]"
	mostOnPage = 1000
)

type part struct{ offset, limit int }

func (p *parameters) part() (asked part) {
	asked.offset, _ = p.number(offsetName, 0, 1_000_000)
	asked.limit, _ = p.number(limitName, 1, mostOnPage)
	return asked
}

func partOf[T any](s *Service, p *parameters, asked part, list []T) ([]T, links) {
	at := s.selfLink(p)
	begin := min(asked.offset, len(list))
	if asked.limit == 0 && asked.offset == 0 {
		return list, at
	}
	size := asked.limit
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

type dictionaries struct {
	Currencies map[string]string       `json:"currencies"`
	Locations  map[string]locationName `json:"locations"`
}

type locationName struct {
	SubType string `json:"subType"`
	Name    string `json:"detailedName"`
}

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

type total struct {
	Total string `json:"total"`
}

// pageURL returns a link to the verdict on the departure, where the API of Amadeus has a link to an offer.
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

func (s *Service) listURL(name string, query url.Values, f filter) string {
	query.Set("oneWay", strconv.FormatBool(f.oneWay))
	query.Set("nonStop", strconv.FormatBool(f.nonStop))
	return s.address(routes.Named(name).Path, query)
}
