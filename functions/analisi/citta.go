package analisi

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
)

const maxCities = 8

type Cities struct {
	Citta []Offered `json:"citta" nullable:"false" doc:"Cities whose name, country or continent begins so in any language, with at most one typing error: at most 8. Those with fares come first, after an exact name. Without q: the most popular destinations of origine, or origins"`
}

type Offered struct {
	Codice  string `json:"codice" doc:"IATA code" example:"MIL"`
	Nome    string `json:"nome" doc:"Name in the requested language" example:"Milano"`
	Paese   string `json:"paese" doc:"Country, ISO 3166-1 alpha-2" example:"IT"`
	Stato   string `json:"stato,omitempty" doc:"State, region or province, if another city has the same name" example:"Ohio"`
	Domanda string `json:"domanda" doc:"What to send as a parameter: the name, or the code if a busier city has the same name" example:"Milano"`
	Seguita *bool  `json:"seguita,omitempty" doc:"Whether there are fares from this city, or from origine to it. Absent if that is unknown" example:"true"`
}

type citiesInput struct {
	Query  string       `query:"q" doc:"The letters typed so far" example:"mila"`
	Lang   cityLanguage `query:"lang" doc:"Language of city names"`
	Origin string       `query:"origine" doc:"The origin, to complete a destination: a name or an IATA code" example:"Milano"`
}

type cityLanguage string

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
		Description: "Returns the cities with scheduled flights that q may begin to name, and whether there " +
			"are fares for them. Calls count towards no quota.",
	}, nil, func(ctx context.Context, in *citiesInput) (*citiesOutput, error) {
		return &citiesOutput{complete(ctx, in, cities)}, nil
	})
}

const manyCities = 500

// If fewer characters than fewLetters were typed, the name of a city is preferred to that of a place
// that shares its airport: a reader who types B does not mean Brooklyn.
const fewLetters = 4

func byRank(covered []fare.City, typed, lang string) func(a, b places.Place) int {
	traffic := make(map[fare.City]int, len(covered))
	for i, c := range covered {
		traffic[c] = i - len(covered)
	}
	few := utf8.RuneCountInString(typed) < fewLetters
	rank := func(p places.Place) (in [5]int) {
		name := places.Fold(p.Name)
		in = [...]int{1, 1, 1, 0, traffic[p.City]}
		if name == typed {
			in[0] = 0
		}
		if in[4] < 0 {
			in[1] = 0
		}
		if strings.HasPrefix(name, typed) {
			in[2] = 0
		}
		if few && p.Name != places.Name(p.City, lang) {
			in[3] = 1
		}
		return in
	}
	return func(a, b places.Place) int {
		x, y := rank(a), rank(b)
		return slices.Compare(x[:], y[:])
	}
}

func citiesIn(query, lang string, covered []fare.City, listed []places.Place) (in []places.Place) {
	area, ok := places.CompleteArea(query, lang)
	if !ok {
		return nil
	}
	for _, c := range slices.Concat(covered, slices.Collect(places.Cities())) {
		p, _ := places.Get(c)
		same := func(q places.Place) bool { return q.City == c }
		if area.HoldsCity(c) && !slices.ContainsFunc(in, same) && !slices.ContainsFunc(listed, same) {
			p.Name = places.Name(c, lang)
			in = append(in, p)
		}
		if len(in) == maxCities {
			break
		}
	}
	return in
}

func complete(ctx context.Context, in *citiesInput, cities *answer.CoveredCities) Cities {
	lang := cmp.Or(string(in.Lang), i18n.Default().Code)
	covered, known := cities.Suggest(ctx, in.Origin, lang)
	typed := places.Fold(in.Query)
	var all []places.Place
	if typed == "" {
		for _, c := range covered[:min(len(covered), maxCities)] {
			p, _ := places.Get(c)
			p.Name = places.Name(c, lang)
			all = append(all, p)
		}
	} else {
		all = places.Complete(in.Query, lang, manyCities)
		if _, exact := places.FindArea(in.Query); exact { // the name of a country is not a mistyped city
			all = slices.DeleteFunc(all, func(p places.Place) bool { return !strings.HasPrefix(places.Fold(p.Name), typed) })
		}
		all = append(all, citiesIn(in.Query, lang, covered, all)...)
		slices.SortStableFunc(all, byRank(covered, typed, lang))
	}
	out := Cities{[]Offered{}}
	for _, p := range all[:min(len(all), maxCities)] {
		o := Offered{Codice: string(p.City), Nome: p.Name, Paese: p.Country, Domanda: places.Query(p.City, p.Name)}
		if m := places.Read(p.Name); len(m.Namesakes()) > 0 || m.City != p.City {
			o.Stato = places.Region(p.City, lang)
		}
		if known {
			yes := slices.Contains(covered, p.City)
			o.Seguita = &yes
		}
		out.Citta = append(out.Citta, o)
	}
	return out
}
