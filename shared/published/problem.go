package published

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/web/httpapi"
)

// The problems of questions.
var (
	// NoLiveFare is the problem of a covered route without a current fare.
	NoLiveFare = httpapi.ProblemType{Status: http.StatusNotFound, Code: "nessuna-tariffa",
		Title: "There is no live fare on the route"}
	// StopsUnknown is the problem of a question for non-stop fares if the source does not report
	// stops.
	StopsUnknown = httpapi.ProblemType{Status: http.StatusNotFound, Code: "soste-sconosciute",
		Title: "Which fares of the route are non-stop is not known"}
)

// Problem converts an error of package answer to a Problem. It returns other errors unchanged.
func Problem(err error) error {
	var (
		city     *answer.UnknownCity
		same     *answer.SameCity
		covered  *answer.NotCovered
		live     *answer.NoLiveFare
		stops    *answer.StopsUnknown
		price    *answer.BadPrice
		currency *answer.UnknownCurrency
		date     *answer.BadDate
		noFare   *answer.NoFareOn
		none     *answer.NoCalendar
	)
	switch {
	case errors.As(err, &city):
		return unknownCity(city)
	case errors.As(err, &same):
		p := httpapi.SameCity.Problem(fmt.Sprintf("Both names lead to %s (%s). Give two different cities.",
			same.Place.Name, same.Place.City))
		p.Errors = []httpapi.Fault{{Name: same.To.Parameter, Detail: "is the same city as " + same.From.Parameter}}
		return p
	case errors.As(err, &covered):
		return httpapi.NotCovered.Problem(fmt.Sprintf("No %sfare from %s to %s has ever been observed here. It is "+
			"noted, and the next refresh asks for it; GET /v1/rotte lists what is covered.",
			kindOf(covered.Series.Trip, false), covered.Origin.Name, covered.Destination.Name))
	case errors.As(err, &live):
		return NoLiveFare.Problem(fmt.Sprintf("The route from %s to %s is covered, but no %sfare was found on it "+
			"lately%s. Fares are refreshed every 7 days: try again then, or have a price of your own judged.",
			live.Origin.Name, live.Destination.Name, kindOf(live.Series.Trip, live.NonStop), newestOf(live.SeriesData)))
	case errors.As(err, &none):
		return NoLiveFare.Problem(fmt.Sprintf("The route from %s to %s is covered, but of no departure was a %sfare "+
			"found lately. Fares are refreshed every 7 days: try again then.",
			none.Origin.Name, none.Destination.Name, kindOf(none.Series.Trip, none.NonStop)))
	case errors.As(err, &stops):
		return StopsUnknown.Problem(fmt.Sprintf("Of the fares from %s to %s the source does not say how many stops "+
			"they have. Ask for fares with any number of stops.", stops.Origin.Name, stops.Destination.Name))
	case errors.As(err, &date):
		return badDate(date)
	case errors.As(err, &noFare):
		return noFareOn(noFare)
	case errors.As(err, &price):
		return httpapi.Invalid(httpapi.Fault{Name: price.Parameter,
			Detail: "is the price of no fare: want more than 0, and at most 100,000 EUR or as " +
				"much of another currency"})
	case errors.As(err, &currency):
		p := httpapi.UnknownCurrency.Problem(fmt.Sprintf("There is no reference rate for %s. Choose one of: %s.",
			currency.Currency, strings.Join(currency.Currencies, ", ")))
		p.Errors = []httpapi.Fault{{Name: currency.Parameter, Detail: "has no reference rate"}}
		p.Suggestions = currency.Currencies
		return p
	}
	return err
}

// newestOf returns the day of the newest fare as a clause, or "" if there never was a fare.
func newestOf(f answer.SeriesData) string {
	if f.Summary.Newest == 0 {
		return ""
	}
	return "; the newest is of " + fare.DayOf(time.Unix(f.Summary.Newest, 0)).String()
}

// kindOf returns the kind of fare followed by a space, or "" for any one-way fare.
func kindOf(t fare.Trip, nonStop bool) (kind string) {
	if nonStop {
		kind = "non-stop "
	}
	if t != fare.OneWay {
		kind += "return (" + t.String() + " nights) "
	}
	return kind
}

func unknownCity(u *answer.UnknownCity) error {
	p := httpapi.UnknownCity.Problem(fmt.Sprintf("%s: no city with scheduled flights is called %q.",
		u.Parameter, u.Name))
	p.Errors = []httpapi.Fault{{Name: u.Parameter, Detail: "is not a city we know"}}
	p.Suggestions = u.Suggestions
	if len(p.Suggestions) > 0 {
		p.Detail += " Perhaps: " + strings.Join(p.Suggestions, ", ") + "."
	} else {
		p.Detail += " Give the name of a city, as in Milano or New York."
	}
	return p
}

// Find resolves a city name. For an unknown name it fails with a Problem that suggests similar
// names.
func Find(c answer.Named) (places.Place, error) {
	p, err := answer.City(c)
	return p, Problem(err)
}

// Differ fails with a Problem if both cities are the same.
func Differ(from, to answer.Named) error { return Problem(answer.Differ(from, to)) }
