package wording

import (
	"strings"

	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// Places explains the names that a caller used for an origin and perhaps a destination. For an
// airport or district it names the city; for a city with several airports it lists them. If the
// answer is about the airports, it says only with what it compares, if not with their own fares.
func Places(l *i18n.Language, t *verdict.Tratta, asked ...string) (all []string) {
	if t == nil {
		t = &verdict.Tratta{}
	}
	about := [...]string{t.Origine, t.Destinazione}
	var several []string // cities with several airports
	alone := ""
	for i, name := range asked {
		p, ok := places.Find(name)
		if !ok || about[i] != "" {
			continue
		}
		city := places.Name(p.City, l.Code)
		airports := ""
		if len(p.Airports) > 1 {
			airports = strings.Join(p.Airports, ", ")
		}
		if part, ok := places.Within(name); ok {
			all = append(all, l.Text("place.part", "Asked", part, "City", city, "Airports", airports))
		} else if airports != "" {
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
	if t.Confronto != verdict.DelleCitta {
		return all
	}
	all = append(all, l.Text("place.compared"))
	switch percent := *t.ScartoPercento; {
	case percent > 0:
		all = append(all, l.Text("place.dearer", "Percent", percent))
	case percent < 0:
		all = append(all, l.Text("place.cheaper", "Percent", -percent))
	}
	return all
}
