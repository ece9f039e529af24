package published

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/web/httpapi"
)

// Without a chosen language, the name is Italian, for compatibility.
func cityName(ctx context.Context, c fare.City) string {
	if l := httpapi.Language(ctx); l != nil {
		return places.Name(c, l.Code)
	}
	return places.Name(c, "it")
}

func matched(ctx context.Context, p places.Place) string {
	if l := httpapi.Language(ctx); l != nil {
		return p.NameIn(l.Code)
	}
	return p.Name
}

func region(ctx context.Context, c fare.City) string {
	return places.Region(c, cmp.Or(httpapi.Language(ctx), i18n.Default()).Code)
}

func note(ctx context.Context, m places.Match, whole bool) string {
	language, airports := httpapi.Language(ctx), strings.Join(m.Airports, ", ")
	l := cmp.Or(language, i18n.English())
	sentences := append(wording.Reading(l, m), wording.Namesakes(l, m))
	switch {
	case !whole || m.Reading == places.Renamed && len(m.Airports) < 2:
	case m.Unlisted:
		sentences = append(sentences, wording.Part(l, m))
	case language == nil && len(m.Airports) < 2:
		sentences = append(sentences, fmt.Sprintf("Fares are for %s (%s).", places.Name(m.City, "en"), m.City))
	case len(m.Airports) < 2:
		sentences = append(sentences, wording.Part(l, m))
	default:
		sentences = append(sentences, l.Text("place.airports", "City", places.Name(m.City, l.Code), "Airports", airports))
	}
	return strings.Join(slices.DeleteFunc(sentences, func(s string) bool { return s == "" }), " ")
}
