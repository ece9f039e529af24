package analisi

import (
	"cmp"
	"context"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/answer"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
)

// maxCities is how many cities are suggested for a typed prefix.
const maxCities = 8

// Cities is the published list of suggestions for a typed prefix.
type Cities struct {
	Citta []Offered `json:"citta" nullable:"false" doc:"Cities whose name begins with q in any language. A full match comes first, then cities with fares, the busiest first. Without q: cities with fares. With origine these are its most popular destinations, otherwise origins, those of the country of lang first"`
}

// Offered is a suggested city.
type Offered struct {
	Codice  string `json:"codice" doc:"IATA code" example:"MIL"`
	Nome    string `json:"nome" doc:"Name in the requested language" example:"Milano"`
	Paese   string `json:"paese" doc:"Country, ISO 3166-1 alpha-2" example:"IT"`
	Domanda string `json:"domanda" doc:"What to send as a parameter: the name, or the code if a busier city has the same name" example:"Milano"`
	Seguita *bool  `json:"seguita,omitempty" doc:"Whether there are fares from this city, or from origine to it. Absent if that is unknown" example:"true"`
}

type citiesInput struct {
	Query  string       `query:"q" doc:"The letters typed so far" example:"mila"`
	Lang   cityLanguage `query:"lang" doc:"Language of city names"`
	Origin string       `query:"origine" doc:"The origin, to complete a destination: a name or an IATA code" example:"Milano"`
}

// cityLanguage is the code of a language; empty: the default.
type cityLanguage string

// Schema lists the codes of all languages.
func (cityLanguage) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Default: i18n.Default().Code}
	for _, code := range i18n.Codes() {
		s.Enum = append(s.Enum, code)
	}
	return s
}

type citiesOutput struct{ Body Cities }

func registerCities(api *httpapi.API, cities *answer.CoveredCities) {
	httpapi.JSON(api, "citta", httpapi.JSONDoc{
		Summary: "Complete the name of a city",
		Description: "Returns cities with scheduled flights whose name begins with q, and whether there " +
			"are fares for them. Calls are not counted.",
	}, nil, func(ctx context.Context, in *citiesInput) (*citiesOutput, error) {
		return &citiesOutput{complete(ctx, in, cities)}, nil
	})
}

func complete(ctx context.Context, in *citiesInput, cities *answer.CoveredCities) Cities {
	lang := cmp.Or(string(in.Lang), i18n.Default().Code)
	covered, known := cities.Offered(ctx, in.Origin, lang)
	typed := places.Fold(in.Query)
	var all []places.Place
	if typed == "" {
		for _, c := range covered[:min(len(covered), maxCities)] {
			p, _ := places.Get(c)
			p.Name = places.Name(c, lang)
			all = append(all, p)
		}
	} else {
		all = places.Complete(in.Query, lang, 4*maxCities)
		rank := func(p places.Place) int {
			switch {
			case places.Fold(p.Name) == typed:
				return 0
			case slices.Contains(covered, p.City):
				return 1
			}
			return 2
		}
		slices.SortStableFunc(all, func(a, b places.Place) int { return cmp.Compare(rank(a), rank(b)) })
	}
	out := Cities{[]Offered{}}
	for _, p := range all[:min(len(all), maxCities)] {
		o := Offered{Codice: string(p.City), Nome: p.Name, Paese: p.Country, Domanda: places.Query(p.City, p.Name)}
		if known {
			yes := slices.Contains(covered, p.City)
			o.Seguita = &yes
		}
		out.Citta = append(out.Citta, o)
	}
	return out
}
