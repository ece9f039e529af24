package fare

import (
	"fmt"
	"slices"
	"strings"
)

// Airlines selects fares by airline. The zero value selects every fare. FR.W6 selects the fares of
// two airlines, and !FR.W6 the fares of all others. A fare whose airline is unknown is in neither.
type Airlines string

const (
	exceptSign      = "!"
	airlineSplitter = "."
)

// OnlyAirlines selects the fares of some airlines.
func OnlyAirlines(list []Airline) Airlines {
	var codes []string
	for _, a := range list {
		codes = append(codes, a.String())
	}
	slices.Sort(codes)
	return Airlines(strings.Join(slices.Compact(codes), airlineSplitter))
}

// ExceptAirlines selects the fares of all airlines but some.
func ExceptAirlines(list []Airline) Airlines {
	if len(list) == 0 {
		return ""
	}
	return exceptSign + OnlyAirlines(list)
}

// ParseAirlines parses FR.W6 or !FR.W6, in any order of the codes.
func ParseAirlines(s string) (Airlines, error) {
	list, except := strings.CutPrefix(s, exceptSign)
	var all []Airline
	for _, code := range strings.Split(list, airlineSplitter) {
		a, err := ParseAirline(code)
		if err != nil {
			return "", fmt.Errorf("airlines %.40q: %w", s, err)
		}
		all = append(all, a)
	}
	if except {
		return ExceptAirlines(all), nil
	}
	return OnlyAirlines(all), nil
}

// List returns the airlines, in order of their codes. except is true if they are those whose fares
// are not wanted.
func (a Airlines) List() (all []Airline, except bool) {
	list, except := strings.CutPrefix(string(a), exceptSign)
	for code := range strings.SplitSeq(list, airlineSplitter) {
		if one, err := ParseAirline(code); err == nil {
			all = append(all, one)
		}
	}
	return all, except
}

// Codes returns the codes of the wanted airlines or, if all others are wanted, of the unwanted ones,
// separated by commas. The other text is empty.
func (a Airlines) Codes() (only, without string) {
	list, except := strings.CutPrefix(string(a), exceptSign)
	if list = strings.ReplaceAll(list, airlineSplitter, ","); except {
		return "", list
	}
	return list, ""
}

// Include reports whether a fare of an airline is selected.
func (a Airlines) Include(one Airline) bool {
	if a == "" || one == (Airline{}) {
		return a == ""
	}
	// A code has two letters or digits, so it matches whole codes alone.
	return strings.Contains(string(a), one.String()) != strings.HasPrefix(string(a), exceptSign)
}
