package published

import (
	"cmp"
	"context"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/web/httpapi"
)

// WholeCities returns a note on each name that means one airport of a city with several. Price
// trends are about all of them.
func WholeCities(ctx context.Context, ends ...answer.Named) (all []view.WholeCity) {
	for _, end := range ends {
		name := end.Name
		if _, ok := places.CityOf(strings.ToUpper(name)); ok {
			name = strings.ToUpper(name)
		}
		city, known := places.Find(name)
		part, partial := places.Within(name)
		if !known || !partial {
			continue
		}
		sentences := wording.Places(cmp.Or(httpapi.Language(ctx), i18n.English()), nil, name)
		all = append(all, view.WholeCity{Parameter: end.Parameter, Asked: part, City: string(city.City),
			Note: strings.Join(sentences, " ")})
	}
	return all
}
