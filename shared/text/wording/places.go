package wording

import (
	"slices"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

func Places(l *i18n.Language, pair verdict.Pair, asked ...places.Match) (all []string) {
	about := [...]fare.Airport{pair.From, pair.To}
	var several []string
	alone := ""
	for i, m := range asked {
		if m.City == "" {
			continue
		}
		all = append(all, Reading(l, m)...)
		if about[i] != (fare.Airport{}) {
			continue
		}
		city := places.Name(m.City, l.Code)
		airports := ""
		if len(m.Airports) > 1 {
			airports = strings.Join(m.Airports, ", ")
		}
		switch {
		case m.Part != "" && m.Reading != places.Renamed:
			all = append(all, Part(l, m))
		case airports != "":
			several = append(several, city+" ("+airports+")")
			alone = l.Text("place.airports", "City", city, "Airports", airports)
		}
	}
	switch len(several) {
	case 0:
	case 1:
		all = append(all, alone)
	default:
		all = append(all, l.Text("place.both", "Cities", l.List(several)))
	}
	if pair.Basis == nil {
		return all
	}
	all = append(all, l.Text("place.compared"))
	switch percent := pair.Basis.Percent(); {
	case percent > 0:
		all = append(all, l.Text("place.dearer", "Percent", percent))
	case percent < 0:
		all = append(all, l.Text("place.cheaper", "Percent", -percent))
	}
	return all
}

func Part(l *i18n.Language, m places.Match) string {
	airports := ""
	if len(m.Airports) > 1 {
		airports = strings.Join(m.Airports, ", ")
	}
	city := places.Name(m.City, l.Code)
	if m.Unlisted {
		return l.Text("place.unnamed", "Code", m.Of.String(), "City", city, "Airports", airports)
	}
	return l.Text("place.part", "Asked", m.Part, "City", city, "Airports", airports)
}

func Reading(l *i18n.Language, m places.Match) (all []string) {
	if m.Reading == places.AsCountry {
		typed := strings.TrimSpace(m.Query)
		country, _ := places.FindArea(typed)
		code := strings.ToUpper(typed)
		return []string{l.Text("ask.read_as", "Typed", typed, "Meant", country.NameIn(l.Code)),
			l.Text("place.country", "Code", code, "Query", places.Query(fare.City(code), ""))}
	}
	isPart := m.Part != "" && m.Part != m.Name && !slices.Contains(m.Airports, m.Part) // such as Parma, which has the fares of Milan
	if m.Reading == places.AsTyped && !isPart {
		return nil
	}
	where := Where(l, m.City)
	if code := m.Of.String(); slices.Contains(m.Airports, code) {
		where = places.AirportName(code, l.Code) + " (" + code + "), " + where
	}
	switch m.Reading {
	case places.AsTyped, places.Qualified, places.AsCode, places.AsOther:
		return []string{l.Text("ask.read_as", "Typed", strings.TrimSpace(m.Query), "Meant", where)}
	case places.AsName:
		code := strings.ToUpper(strings.TrimSpace(m.Query))
		other, _ := places.CityOf(code)
		return []string{l.Text("ask.read_as", "Typed", strings.TrimSpace(m.Query), "Meant", where),
			l.Text("place.capitals", "Code", code, "Where", Where(l, other))}
	case places.Renamed:
		return []string{l.Text("place.renamed", "Code", m.Part, "Where", where)}
	}
	return nil
}

func Namesakes(l *i18n.Language, m places.Match) string {
	var all []string
	for _, c := range m.Namesakes() {
		all = append(all, Where(l, c))
	}
	if all == nil {
		return ""
	}
	return l.Text("place.namesakes", "Where", Where(l, m.City), "Others", strings.Join(all, "; "))
}

// federal lists countries in which a city is often named with its state.
var federal = []string{"US", "CA", "AU", "BR", "MX", "IN"}

func Where(l *i18n.Language, c fare.City) string {
	p, _ := places.Get(c)
	parts := []string{places.Name(c, l.Code) + " (" + string(c) + ")"}
	if state := places.Region(c, l.Code); state != "" && slices.Contains(federal, p.Country) {
		parts = append(parts, state)
	}
	if country, ok := places.AreaOf(p.Country); ok {
		parts = append(parts, country.NameIn(l.Code))
	}
	return strings.Join(parts, ", ")
}
