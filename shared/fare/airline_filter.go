package fare

import (
	"slices"
	"strings"
)

// Airlines selects fares by airline. FR.W6 selects the fares of two airlines, !FR.W6 those of all
// other known airlines, and the zero value every fare.
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

func (a Airlines) List() (all []Airline, except bool) {
	list, except := strings.CutPrefix(string(a), exceptSign)
	for code := range strings.SplitSeq(list, airlineSplitter) {
		if one, err := ParseAirline(code); err == nil {
			all = append(all, one)
		}
	}
	return all, except
}

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
	// A dot separates codes of two characters, so no match spans two codes.
	return strings.Contains(string(a), one.String()) != strings.HasPrefix(string(a), exceptSign)
}
