package published

import (
	"context"
	"fmt"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// The names and sentences of an answer are in the language that the caller chose. Without a choice,
// most names are Italian, as they always were, and sentences are English.

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

func note(ctx context.Context, l verdict.Luogo) string {
	language, airports := httpapi.Language(ctx), strings.Join(l.Aeroporti, ", ")
	switch {
	case language == nil && len(l.Aeroporti) < 2:
		return fmt.Sprintf("Fares are for %s (%s).", places.Name(fare.City(l.Iata), "en"), l.Iata)
	case language == nil:
		language = i18n.English()
	case len(l.Aeroporti) < 2:
		return language.Text("place.part", "Asked", l.Chiesto, "City", l.Citta, "Airports", "")
	}
	return language.Text("place.airports", "City", places.Name(fare.City(l.Iata), language.Code), "Airports", airports)
}
