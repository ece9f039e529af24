package published

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/web/httpapi"
)

// Clients rely on these codes, so the codes must not change.
var (
	NoLiveFare = httpapi.ProblemType{Status: http.StatusNotFound, Code: "nessuna-tariffa",
		Title: "No current fare for the trip"}
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
		return UnknownCity(httpapi.UnknownCity, city)
	case errors.As(err, &same):
		p := httpapi.SameCity.Translated(func(l *i18n.Language) string {
			return coded(l, same.Place) + ". " + l.Text("refusal.same.lede")
		})
		p.Errors = []httpapi.Fault{{Name: same.To.Parameter, Detail: "is the same city as " + same.From.Parameter}}
		return p
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

func noAnswer(e *answer.NoAnswer) *httpapi.Problem {
	t := NoLiveFare
	switch e.Reason {
	case answer.NotCovered, answer.NoRoutes, answer.NoReturns, answer.NoReturnsFrom:
		t = httpapi.NotCovered
	case answer.StopsUnknown:
		t = StopsUnknown
	}
	var suggestions []string
	for _, a := range e.Known {
		suggestions = append(suggestions, a.String())
	}
	for _, d := range e.Near {
		suggestions = append(suggestions, d.Fare.Depart.String())
	}
	p := t.Translated(func(l *i18n.Language) string {
		if e.Collection != nil {
			return Why(l, e)
		}
		detail := about(l, e) + ". " + Why(l, e)
		for _, m := range e.Ends {
			for _, sentence := range append(wording.Reading(l, m), wording.Namesakes(l, m)) {
				if sentence != "" && m.City != "" {
					detail += " " + sentence
				}
			}
		}
		var current []string
		for _, a := range e.Known {
			current = append(current, airlines.Name(a))
		}
		if len(e.Near) > 0 {
			detail += " " + l.Text("refusal.no_fare_on.near") + " " + strings.Join(suggestions, ", ") + "."
		}
		if !e.Over {
			detail += " " + l.Text("refusal."+string(e.Reason)+".next", "Airlines", strings.Join(current, ", "))
		}
		if e.Series.Airports != (fare.Airports{}) {
			detail += " " + l.Text("refusal.wider.ask_airports", "From", e.Series.Origin, "To", e.Series.Destination)
		}
		return detail
	})
	p.Suggestions = suggestions
	return p.Collecting(e.Collection)
}

func Why(l *i18n.Language, e *answer.NoAnswer) string {
	var fill []any
	switch e.Reason {
	case answer.NotCovered, answer.NoRoutes:
		if e.Collection != nil {
			return wording.BeforeFares(l, *e.Collection)
		}
		return l.Text("refusal."+string(e.Reason)+".title") + " " + l.Text("refusal."+string(e.Reason)+".lede")
	case answer.NoReturns:
		from, to := e.Series.Trip.Nights()
		fill = []any{"From", from, "To", min(to, fare.MaxNights), "NonStop", e.NonStop}
	case answer.NoFare:
		newest := ""
		if e.Summary.Newest != 0 {
			newest = l.Date(fare.DayOf(time.Unix(e.Summary.Newest, 0)))
		}
		fill = []any{"Newest", newest}
	case answer.NoAirline:
		fill = []any{"Airlines", wording.Airlines(l, e.Airlines)}
	case answer.NoFareOn:
		lede := l.Text("refusal.no_fare_on.lede", "When", days(l, e.When))
		if e.Over {
			lede += " " + l.Text("refusal.no_fare_on.over")
		}
		return lede
	}
	return l.Text("refusal."+string(e.Reason)+".lede", fill...)
}

func days(l *i18n.Language, w answer.When) string {
	switch {
	case w.Span != nil && *w.Span == departure.Month:
		return l.MonthOf(w.Date)
	case w.Span != nil:
		return l.WeekdayDate(w.Date) + " " + l.Count("form.around", int(w.Span.Days()))
	case w.Back != 0:
		return l.Text("ask.out_and_back", "Out", l.WeekdayDate(w.Date), "Back", l.WeekdayDate(w.Back))
	}
	return l.WeekdayDate(w.Date)
}

func about(l *i18n.Language, e *answer.NoAnswer) string {
	text := coded(l, e.Origin)
	if e.Series.Destination != "" {
		text = l.Text("home.route", "From", text, "To", coded(l, e.Destination))
	}
	if e.Series.Trip != fare.OneWay {
		text += ", " + wording.Nights(l, e.Series.Trip.String())
	}
	if e.NonStop {
		text += ", " + l.Text("trip.nonstop")
	}
	return text
}

// coded returns texts such as Park City (Salt Lake City, SLC). The code distinguishes cities that
// share a name.
func coded(l *i18n.Language, p places.Place) string {
	name, city := p.NameIn(l.Code), places.Name(p.City, l.Code)
	code := cmp.Or(p.Airport, string(p.City))
	if p.Airport == "" && !strings.Contains(name, city) && !strings.Contains(city, name) {
		code = city + ", " + code
	}
	return name + " (" + code + ")"
}

func UnknownCity(t httpapi.ProblemType, u *answer.UnknownCity) *httpapi.Problem {
	area, isArea := places.FindArea(u.Name)
	both, call := httpapi.BothEnds(u.Parameter, u.Name)
	if both != "" && !isArea {
		u.Suggestions = []string{call}
	}
	p := t.Translated(func(l *i18n.Language) string {
		texts := []string{l.Text("refusal.unknown.lede", "Name", u.Name)}
		switch {
		case isArea:
			texts = append(wording.Reading(l, u.Means), l.Text("refusal.unknown.area", "Name", area.NameIn(l.Code)))
		case both != "": // both is not translated, because it names parameters
			return both + "."
		case u.Means.Elsewhere != "":
			texts[0] = l.Text("refusal.unknown.elsewhere", "Name", u.Means.Elsewhere, "Area", u.Means.There(l.Code))
		}
		if len(u.Suggestions) > 0 {
			texts = append(texts, l.Text("refusal.unknown.perhaps"), strings.Join(u.Suggestions, ", ")+".")
		}
		if !isArea {
			texts = append(texts, l.Text("refusal.unknown.retry"))
		}
		return strings.Join(texts, " ")
	})
	p.Errors, p.Suggestions = []httpapi.Fault{{Name: u.Parameter, Detail: "is not a city we know"}}, u.Suggestions
	return p
}

func Find(c answer.Named) (places.Place, error) {
	p, err := answer.City(c)
	return p, Problem(err)
}

func Differ(from, to answer.Named) error { return Problem(answer.Differ(from, to)) }
