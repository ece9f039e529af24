package page

import (
	"cmp"
	"math"
	"net/url"
	"strconv"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict/departure"
)

const maxThreshold = 5

// Both addresses are empty without a BaseURL. The result page is also empty for returns by class of
// nights, which the page's address cannot state.
func (s *Service) Addresses(series fare.Series, currency string, q answer.Question, l *i18n.Language) (page, alert string) {
	t, whole := tripOf(q)
	if s.BaseURL == "" {
		return "", ""
	}
	from, to := cmp.Or(series.Airports.From.String(), string(series.Origin)), cmp.Or(series.Airports.To.String(), string(series.Destination))
	form, currency := alertFields{}, strings.TrimSuffix(currency, fare.EUR.String())
	alert = s.BaseURL + pageAddress(from, to, t, l.Code, currency)
	in, err := fare.ParseCurrency(cmp.Or(currency, fare.EUR.String()))
	if p := q.Price; p != nil && err == nil && p.Currency == in.String() {
		t.OwnPrice = fare.Money{Amount: fare.Cents(math.Round(100 * p.Amount)), Currency: in}.Decimal()
		form.Under = strings.TrimSpace(t.OwnPrice + " " + currency) // an alert's threshold is in euros unless it names a currency
	}
	if !whole {
		form.Nights = q.Trip.String()
	} else {
		page = s.BaseURL + pageAddress(from, to, t, l.Code, currency)
	}
	for _, f := range form.fields() {
		if *f.text != "" {
			alert += "&" + f.name + "=" + url.QueryEscape(*f.text)
		}
	}
	return page, alert + "#alert-title"
}

// tripOf returns false if the page's parameters cannot state the whole trip of a question.
func tripOf(q answer.Question) (t trip, whole bool) {
	w := q.When
	whole = q.Trip == fare.OneWay || w != nil && w.Back != 0
	if q.NonStop {
		t.NonStop = "si"
	}
	t.airlineChoice = choiceOf(q.Airlines)
	switch {
	case w == nil:
	case w.Span != nil && *w.Span == departure.Month:
		t.in(w.Date)
	default:
		t.on(w.Date, w.Back)
		if w.Span != nil {
			t.Around = strconv.Itoa(int(w.Span.Days()))
		}
	}
	return t, whole
}
