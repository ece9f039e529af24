package published

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// Clients know the codes of these error responses, so they must not change.
var (
	NoLiveFare = httpapi.ProblemType{Status: http.StatusNotFound, Code: "nessuna-tariffa",
		Title: "No current fare on the route"}
	// StopsUnknown answers a question for non-stop fares if the source does not report stops.
	StopsUnknown = httpapi.ProblemType{Status: http.StatusNotFound, Code: "soste-sconosciute",
		Title: "The stops of fares on this route are unknown"}
)

// Problem converts an error of package answer to an error response, and returns other errors
// unchanged.
func Problem(err error) error {
	var (
		city     *answer.UnknownCity
		same     *answer.SameCity
		none     *answer.NoAnswer
		price    *answer.BadPrice
		currency *answer.UnknownCurrency
		date     *answer.BadDate
	)
	switch {
	case errors.As(err, &city):
		return unknownCity(city)
	case errors.As(err, &same):
		p := httpapi.SameCity.Problem(fmt.Sprintf("Both names mean %s. Name two different cities.",
			coded(same.Place)))
		p.Errors = []httpapi.Fault{{Name: same.To.Parameter, Detail: "is the same city as " + same.From.Parameter}}
		return p.Translated(func(l *i18n.Language) string { return l.Text("refusal.same.lede") })
	case errors.As(err, &none):
		return noAnswer(none)
	case errors.As(err, &date):
		return badDate(date)
	case errors.As(err, &price):
		return httpapi.Invalid(httpapi.Fault{Name: price.Parameter,
			Detail: "is out of range: send more than 0, and at most 100,000 EUR or the same in " +
				"another currency"})
	case errors.As(err, &currency):
		p := httpapi.UnknownCurrency.Problem(currency.Error() + " Choose one of: " +
			strings.Join(currency.Currencies, ", ") + ".")
		p.Errors = []httpapi.Fault{{Name: currency.Parameter, Detail: "has no reference rate"}}
		p.Suggestions = currency.Currencies
		return p
	}
	return err
}

// noAnswer returns the error response that says why a question about fares has no answer, and what to
// ask instead.
func noAnswer(e *answer.NoAnswer) *httpapi.Problem {
	from, to := coded(e.Origin), coded(e.Destination)
	kind := kindOf(e.Series.Trip, e.NonStop)
	none := fmt.Sprintf("We know no current %sfare%s from %s to %s", kind, ofAirlines(e.Airlines), from, to)
	switch e.Reason {
	case answer.StopsUnknown:
		return StopsUnknown.Problem(fmt.Sprintf("The source does not state the stops of fares from %s to %s. Ask for "+
			"fares with any number of stops.", from, to)).Translated(lede(e.Reason))
	case answer.NotCovered, answer.NoReturns:
		// A route without one-way fares is not covered, whatever else was asked for.
		kind, next := "", "GET /v1/rotte lists the covered routes."
		if e.Reason == answer.NoReturns {
			kind, next = kindOf(e.Series.Trip, false), "Without notti and ritorno, the answer is about one-way fares."
		}
		return NotCovered(e.Collection, fmt.Sprintf("We have never seen a %sfare from %s to %s. The next refresh "+
			"asks for it: try again then. %s", kind, from, to, next))
	case answer.NoFareOn:
		return noFareOn(e, none)
	case answer.NoDepartures:
		advice := "Try again after the next refresh, within 7 days."
		if e.Airlines != "" && len(e.Known) > 0 {
			advice = "The current fares of the route are of " + airlineNames(e.Known) + "."
		}
		p := NoLiveFare.Problem(none + ". " + advice + orCities(e.SeriesData))
		if e.Airlines != "" {
			for _, a := range e.Known {
				p.Suggestions = append(p.Suggestions, a.String())
			}
		}
		return p
	}
	return NoLiveFare.Problem(none + newestOf(e.SeriesData) + ". Try again after the next refresh, within 7 days, or send " +
		"a price of your own." + orCities(e.SeriesData))
}

// lede returns the text that pages show for a reason.
func lede(why answer.Reason) func(*i18n.Language) string {
	return func(l *i18n.Language) string { return l.Text("refusal." + string(why) + ".lede") }
}

// NotCovered returns the error response for a route or an origin without a fare. If the service has
// no fares at all, it states c, the state of its collection, instead.
func NotCovered(c *verdict.Collection, detail string) *httpapi.Problem {
	p := httpapi.NotCovered.Problem(detail)
	if c == nil {
		return p.Translated(lede(answer.NotCovered))
	}
	p.Detail = wording.BeforeFares(i18n.English(), *c)
	return p.Collecting(c).Translated(func(l *i18n.Language) string { return wording.BeforeFares(l, *c) })
}

// orCities suggests the question about all airports, or returns "" if the question named none.
func orCities(f answer.SeriesData) string {
	if f.Series.Airports == (fare.Airports{}) {
		return ""
	}
	return fmt.Sprintf(" For all airports of both cities, ask from %s to %s.", f.Series.Origin, f.Series.Destination)
}

// coded names a city that has the name of a better known one, such as London (YXU) in Ontario.
func coded(p places.Place) string {
	return fmt.Sprintf("%s (%s)", p.NameIn("en"), cmp.Or(p.Airport, string(p.City)))
}

// newestOf returns the day of the newest fare as a clause, or "" if none was ever found.
func newestOf(f answer.SeriesData) string {
	if f.Summary.Newest == 0 {
		return ""
	}
	return "; the newest is of " + fare.DayOf(time.Unix(f.Summary.Newest, 0)).String()
}

// kindOf returns the kind of fare followed by a space, such as "non-stop ", or "" for any one-way
// fare.
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
	p := httpapi.UnknownCity.Problem(fmt.Sprintf("%s: no city with scheduled flights has the name %q.",
		u.Parameter, u.Name))
	area, isArea := places.FindArea(u.Name)
	both, call := httpapi.BothEnds(u.Parameter, u.Name)
	switch {
	case isArea && area.IsRegion():
		p.Detail = fmt.Sprintf("%s: a city is needed, and %s is a region or an island with several airports.", u.Parameter,
			area.NameIn("en"))
	case isArea:
		p.Detail = strings.TrimSpace(fmt.Sprintf("%s: a city is needed, and %s is a country or continent. %s", u.Parameter,
			area.NameIn("en"), strings.Join(wording.Reading(i18n.English(), u.Means), " ")))
	case both != "":
		p.Detail, u.Suggestions = u.Parameter+": "+both+".", []string{call}
	case u.Means.Elsewhere != "":
		p.Detail = fmt.Sprintf("%s: we know no %s in %s with scheduled flights.", u.Parameter, u.Means.Elsewhere,
			u.Means.There("en"))
	}
	p.Errors = []httpapi.Fault{{Name: u.Parameter, Detail: "is not a city we know"}}
	p.Translated(func(l *i18n.Language) string {
		text := l.Text("refusal.unknown.lede", "Name", u.Name)
		switch {
		case isArea:
			text = strings.Join(append(wording.Reading(l, u.Means), text), " ")
		case u.Means.Elsewhere != "" && both == "":
			text = l.Text("refusal.unknown.elsewhere", "Name", u.Means.Elsewhere, "Area", u.Means.There(l.Code))
		}
		if len(u.Suggestions) > 0 {
			text += " " + l.Text("refusal.unknown.perhaps") + " " + strings.Join(u.Suggestions, ", ") + "."
		}
		return text
	})
	switch p.Suggestions = u.Suggestions; {
	case both != "":
	case len(p.Suggestions) > 0:
		p.Detail += " Did you mean " + strings.Join(p.Suggestions, ", ") + "?"
	default:
		p.Detail += " Send the name of a city, such as Milan or New York, or an IATA code."
	}
	return p
}

// Find resolves a city name. Its error response suggests similar names.
func Find(c answer.Named) (places.Place, error) {
	p, err := answer.City(c)
	return p, Problem(err)
}

func Differ(from, to answer.Named) error { return Problem(answer.Differ(from, to)) }
