package analisi

import (
	"cmp"
	"context"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/fare"
	"verdetto/shared/httpapi"
	"verdetto/shared/i18n"
	"verdetto/shared/places"
)

// maxCities is how many cities are offered for what was typed so far.
const maxCities = 8

// Cities is the published answer to what was typed so far.
type Cities struct {
	Citta []Offered `json:"citta" nullable:"false" doc:"Cities whose name in any language begins so, busiest first; a name typed in full comes first"`
}

// Offered is a city as it may be completed to.
type Offered struct {
	Codice  string `json:"codice" doc:"IATA code" example:"MIL"`
	Nome    string `json:"nome" doc:"Name in the language asked for" example:"Milano"`
	Paese   string `json:"paese" doc:"Country, ISO 3166-1 alpha-2" example:"IT"`
	Domanda string `json:"domanda" doc:"What to ask with: the name, or the code where a busier city bears that name" example:"Milano"`
}

type citiesInput struct {
	Query string       `query:"q" required:"true" doc:"What was typed so far" example:"mila"`
	Lang  cityLanguage `query:"lang" doc:"Language to name cities in"`
}

// cityLanguage is the code of a language; empty: the default.
type cityLanguage string

// Schema lists the languages that there are.
func (cityLanguage) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Default: i18n.Default().Code}
	for _, code := range i18n.Codes() {
		s.Enum = append(s.Enum, code)
	}
	return s
}

type citiesOutput struct{ Body Cities }

func registerCities(api *httpapi.API) {
	httpapi.JSON(api, "citta", httpapi.JSONDoc{
		Summary:     "Complete the name of a city",
		Description: "Offers cities with scheduled flights for the beginning of a name. It is not counted.",
	}, nil, func(_ context.Context, in *citiesInput) (*citiesOutput, error) {
		lang := cmp.Or(string(in.Lang), i18n.Default().Code)
		out := &citiesOutput{Cities{[]Offered{}}}
		for _, p := range places.Complete(in.Query, lang, maxCities) {
			out.Body.Citta = append(out.Body.Citta, Offered{string(p.City), p.Name, p.Country, queryFor(p.City, p.Name)})
		}
		return out, nil
	})
}

// queryFor is a query that finds a city: its name, or its code where the name finds another.
func queryFor(city fare.City, name string) string {
	if found, ok := places.Find(name); !ok || found.City != city {
		return string(city)
	}
	return name
}
