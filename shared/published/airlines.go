package published

import (
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/web/httpapi"
)

type AirlineInput struct {
	Vettore      string `query:"vettore" maxLength:"200" doc:"Only departures whose cheapest fare is of these airlines: at most 10 IATA codes or names, separated by commas. They are compared with fares of all airlines. A name also means its sister airlines. Fares of an unknown airline are left out"`
	SenzaVettore string `query:"senzaVettore" maxLength:"200" doc:"Leaves these airlines out, as for vettore. Not together with vettore"`
}

func (in AirlineInput) filter(name func(parameter string) string) (fare.Airlines, error) {
	return ParseAirlines(in.Vettore, in.SenzaVettore, name("vettore"), name("senzaVettore"))
}

// onlyName and exceptName are the names of the parameters in error responses.
func ParseAirlines(only, except, onlyName, exceptName string) (fare.Airlines, error) {
	if only != "" && except != "" {
		return "", Invalid(exceptName, "excludes "+onlyName+": send one of them")
	}
	if except != "" {
		all, err := findAirlines(except, exceptName)
		return fare.ExceptAirlines(all), err
	}
	all, err := findAirlines(only, onlyName)
	return fare.OnlyAirlines(all), err
}

const maxAirlines = 10

func findAirlines(list, parameter string) (all []fare.Airline, err error) {
	if list == "" {
		return nil, nil
	}
	queries := strings.Split(list, ",")
	if len(queries) > maxAirlines {
		return nil, Invalid(parameter, "names more than 10 airlines")
	}
	for _, query := range queries {
		found := airlines.Find(query)
		if names, ok := airlines.Correct(query); ok {
			for name := range strings.SplitSeq(names, ",") {
				found = append(found, airlines.Find(name)...)
			}
		}
		if len(found) == 0 {
			return nil, unknownAirline(parameter, strings.TrimSpace(query))
		}
		all = append(all, found...)
	}
	return all, nil
}

const suggestions = 5

func unknownAirline(parameter, query string) error {
	similar := airlines.Suggest(query, suggestions)
	detail := "names an airline that we do not know: send an IATA code such as FR, or a name such as Ryanair"
	if len(similar) > 0 {
		detail = "names an airline that we do not know. Similar names are " + strings.Join(similar, ", ")
	}
	p := httpapi.Invalid(httpapi.Fault{Name: parameter, Detail: detail})
	p.Suggestions = similar
	return p
}
