package fare

import (
	"slices"
	"strings"
)

// Airlines selects fares by airline. The zero value selects every fare, FR.W6 the fares of two
// airlines, and !FR.W6 the fares of all others. Neither includes fares whose airline is unknown.
type Airlines string

const (
	exceptSign      = "!"
	airlineSplitter = "."
)

func OnlyAirlines(list []Airline) Airlines {
	var codes []string
	for _, a := range list {
		codes = append(codes, a.String())
	}
	slices.Sort(codes)
	return Airlines(strings.Join(slices.Compact(codes), airlineSplitter))
}

func ExceptAirlines(list []Airline) Airlines {
	if len(list) == 0 {
		return ""
	}
	return exceptSign + OnlyAirlines(list)
}

// List returns the airlines in order of their codes. except is true if the filter leaves them out.
func (a Airlines) List() (all []Airline, except bool) {
	list, except := strings.CutPrefix(string(a), exceptSign)
	for code := range strings.SplitSeq(list, airlineSplitter) {
		if one, err := ParseAirline(code); err == nil {
			all = append(all, one)
		}
	}
	return all, except
}

// Codes returns the codes of the selected airlines in only, or of the excluded ones in without,
// separated by commas.
func (a Airlines) Codes() (only, without string) {
	list, except := strings.CutPrefix(string(a), exceptSign)
	if list = strings.ReplaceAll(list, airlineSplitter, ","); except {
		return "", list
	}
	return list, ""
}

func (a Airlines) Include(one Airline) bool {
	if a == "" || one == (Airline{}) {
		return a == ""
	}
	// All codes have two characters and a dot stands between them, so no match spans two codes.
	return strings.Contains(string(a), one.String()) != strings.HasPrefix(string(a), exceptSign)
}
