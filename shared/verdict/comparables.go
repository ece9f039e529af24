package verdict

import (
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// QuartilesOf returns the usual prices of a departure, as JudgeDeparture does, and the number of
// fares behind them. The departure needs no live fare. The quartiles are nil if there are too few
// fares for a verdict.
func QuartilesOf(s *departure.State, p *departure.Pooled, date fare.Day, now time.Time) (of *Quartili,
	comparables int, basis *Basis, err error) {
	q, known, err := newDepartureQuestion(s, p, When{Date: date}, now)
	if err != nil || !known {
		return nil, 0, nil, err
	}
	quartiles, _ := q.day.Quartiles(date)
	a, ok := q.day.Judge(date, max(quartiles.Median, 1)) // the number of near fares does not depend on the price
	if !ok || !enough(a) {
		return nil, a.Count, q.facts.Basis, nil
	}
	_, comparables = q.comparison(a)
	return q.facts.quartili(quartiles), comparables, q.facts.Basis, nil
}

// AddUsual adds what the departure of the judged fare usually costs this many days ahead, which is
// the reference of every fare with a departure, whatever question the answer is about. It adds
// nothing if there are too few comparable fares, or if the price has no departure. To an answer
// about a route, it also adds the forecasts for that departure, and a lower known fare.
func (a *Analysis) AddUsual(s *departure.State, p *departure.Pooled, now time.Time) error {
	q, known, err := newDepartureQuestion(s, p, When{}, now)
	if err != nil || !known {
		return err
	}
	if of := a.known(); of != nil && a.Ambito == Rotta {
		if a.PrezzoPiuBasso = q.lower(of.Cent, now); a.PrezzoPiuBasso != nil {
			if day, err := fare.ParseDay(a.PrezzoPiuBasso.Partenza); err == nil {
				a.SolitoPiuBassoCent, a.LivelloPiuBasso = q.usual(day)
			}
		}
	}
	depart, err := fare.ParseDay(a.Prezzo.Partenza)
	if err != nil {
		return nil //nolint:nilerr // a fare without a departure has no usual price of its day
	}
	if a.SolitoPartenzaCent, a.LivelloPartenza = q.usual(depart); a.Ambito != Rotta || a.SolitoPartenzaCent == nil {
		return nil
	}
	if judged, ok := q.day.Judge(depart, q.facts.FromEuro(a.Prezzo.Cent)); ok {
		a.Previsione = q.forecasts(judged, int(depart-q.today), a.Prezzo.Cent)
	}
	return nil
}

// known returns the service's own fare for the question, or nil if there is none.
func (a *Analysis) known() *Prezzo {
	if a.Prezzo.Dichiarato {
		return a.PrezzoNoto
	}
	return &a.Prezzo
}

// lower returns the lowest live fare of all departures if it is below price, in EUR cents, else
// nil. The fare of a route is the lowest of the fresh fares, so an older fare can be lower.
func (q *departureQuestion) lower(price fare.Cents, now time.Time) *Prezzo {
	var lowest *Live
	for _, live := range q.day.Live() {
		if lowest == nil || live.Price < lowest.Price {
			lowest = &live
		}
	}
	if lowest == nil || q.facts.Euro(lowest.Price) >= price {
		return nil
	}
	p := q.facts.livePrice(*lowest, now)
	return &p
}

// usual returns the usual fare of a departure in EUR cents, and the level of its live fare.
func (q *departureQuestion) usual(depart fare.Day) (median *fare.Cents, level string) {
	quartiles, _ := q.day.Quartiles(depart)
	price := max(quartiles.Median, 1)
	if live, ok := q.day.LiveFare(depart); ok {
		price = live.Price
	}
	a, ok := q.day.Judge(depart, price)
	if !ok || !enough(a) {
		return nil, ""
	}
	v := q.judge(a, quartiles, price, 0)
	return v.MedianaCent, v.Livello
}

// JudgeUsual judges the usual fare of a departure that has no live fare; of a month or several
// days, that of the middle departure. The answer has the quartiles and the forecasts for a fare at
// the median. It returns false if there are too few comparable fares.
func JudgeUsual(s *departure.State, p *departure.Pooled, w When, now time.Time) (Analysis, bool, error) {
	if w.Span != nil && *w.Span == departure.Month {
		first, last := w.Span.Ends(w.Date)
		w.Date = max((first+last)/2, min(fare.DayOf(now), last))
	}
	q, known, err := newDepartureQuestion(s, p, When{Date: w.Date}, now)
	if err != nil || !known {
		return Analysis{}, false, err
	}
	quartiles, _ := q.day.Quartiles(w.Date)
	if usual, _ := q.usual(w.Date); usual == nil {
		return Analysis{}, false, nil
	}
	usual := Prezzo{Cent: q.facts.Euro(quartiles.Median), Valuta: "EUR", Partenza: w.Date.String()}
	return q.analysis(usual, w.Date, quartiles.Median, 0), true, nil
}

// Nearest returns the n departures with a live fare that are closest to a date, in order of date.
func Nearest(s *departure.State, p *departure.Pooled, date fare.Day, n int, now time.Time) ([]Giorno, error) {
	q, known, err := newDepartureQuestion(s, p, When{}, now)
	if err != nil || !known {
		return nil, err
	}
	all := slices.Clone(q.day.Live())
	away := func(l Live) int { return max(int(l.Depart-date), int(date-l.Depart)) }
	slices.SortStableFunc(all, func(a, b Live) int { return away(a) - away(b) })
	all = all[:min(len(all), n)]
	slices.SortFunc(all, func(a, b Live) int { return int(a.Depart - b.Depart) })
	var days []Giorno
	for _, live := range all {
		days = append(days, q.cell(live, true, now))
	}
	return days, nil
}

// enough reports whether a verdict is possible: with enough earlier fares of a similar lead time,
// or enough other departures on sale.
func enough(a departure.Answer) bool { return a.Known && (a.Near >= nearEnough || a.OnSale > 0) }

func (s RouteSummary) quartili(q departure.Quartiles) *Quartili {
	return &Quartili{s.Euro(q.Minimum), s.Euro(q.Q1), s.Euro(q.Median), s.Euro(q.Q3), s.Euro(q.Maximum)}
}

// FaresOf returns the live fare of each departure up to CalendarDays ahead, in order of departure.
// If each is false, it returns only the cheapest of every month.
func FaresOf(s *departure.State, p *departure.Pooled, each bool, now time.Time) (all []Prezzo, err error) {
	q, known, err := newDepartureQuestion(s, p, When{}, now)
	if err != nil || !known {
		return nil, err
	}
	var begun fare.Day // the first departure in the current month
	for _, live := range q.day.Live() {
		if live.Depart > q.today+CalendarDays {
			break
		}
		if !each {
			if begun != 0 && live.Depart.Month() == begun.Month() {
				continue
			}
			begun = live.Depart
			live, _ = q.day.Cheapest(departure.Month, begun)
		}
		all = append(all, q.facts.livePrice(live, now))
	}
	return all, nil
}
