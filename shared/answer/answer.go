// Package answer is the one way from a question to a judged answer: names of
// cities become a route, the route and the kind of trip a stored summary, and the
// summary a verdict. The API, the page, the agents' tools and the pictures all
// take it, so that they say the same.
//
// An answer costs one read of the store, whatever is asked, and however long the history is;
// WithCalendar may read once more, and Moves reads a whole history. What cannot be answered is one
// of the errors of this package; whoever answers callers turns them into their words. Check
// refuses, without reading anything of the route, what no answer could be made for.
package answer

import (
	"context"
	"errors"
	"fmt"
	"math"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// Named is a city as a caller names it, and the parameter that the name was given in.
type Named struct{ Parameter, Name string }

// Question is what is asked of a route.
type Question struct {
	From, To Named
	Trip     fare.Trip // one-way, or a return by nights away
	NonStop  bool      // only fares without stops
	When     *When     // the departure; nil: any, that is the cheapest of the route
	Price    *Price    // one seen elsewhere, to be judged in place of ours
	Show     Currency  // that amounts are shown in
}

// Currency is the ISO 4217 code of one, and the parameter that it was given in; the zero value is the euro.
type Currency struct{ Parameter, Code string }

// Price is an amount in major units of a currency (ISO 4217).
type Price struct {
	Parameter string // that it was given in
	Amount    float64
	Currency  string
	Of        string // the parameter that the currency was given in
}

// Answer is a judged answer, and what it was made of.
type Answer struct {
	Found
	Analysis verdict.Analysis
}

// Found is what is known of a route and a kind of trip.
type Found struct {
	Origin, Destination places.Place
	Series              fare.Series
	// Of the fares that were asked about: all, or those without stops; of a departure, currency and
	// day alone
	Summary verdict.RouteSummary
}

// Check refuses a question that no answer could be made for: a journey that ends
// where it begins, a price that is none, a currency without a rate.
func (r *Reader) Check(ctx context.Context, q Question) error {
	if err := Differ(q.From, q.To); err != nil {
		return err
	}
	if q.When != nil {
		if err := q.When.check(fare.DayOf(r.Now())); err != nil {
			return err
		}
	}
	if _, err := r.Amounts(ctx, q.Show); err != nil || q.Price == nil {
		return err
	}
	_, err := r.euro(ctx, *q.Price)
	return err
}

// Amounts gives how euro cents are shown in a currency: at the newest reference
// rates, one set for all of an answer. It is nil for the euro.
func (r *Reader) Amounts(ctx context.Context, in Currency) (func(fare.Cents) fare.Cents, error) {
	if in.Code == "" || in.Code == fare.EUR.String() {
		return nil, nil
	}
	rates, err := r.Rates(ctx)
	if err != nil {
		return nil, err
	}
	if _, ok := rates.Rate(in.Code); !ok {
		return nil, &UnknownCurrency{in.Parameter, in.Code, rates.Currencies()}
	}
	return func(c fare.Cents) fare.Cents {
		amount, _ := rates.From(c, in.Code)
		return amount
	}, nil
}

// Differ refuses a journey that ends where it begins.
func Differ(from, to Named) error {
	origin, ok1 := places.Find(from.Name)
	destination, ok2 := places.Find(to.Name)
	if !ok1 || !ok2 || origin.City != destination.City {
		return nil
	}
	return &SameCity{from, to, origin}
}

// euro is a price in euro cents, if it can be one of a fare.
func (r *Reader) euro(ctx context.Context, p Price) (fare.Cents, error) {
	rates, err := r.Rates(ctx)
	if err != nil {
		return 0, err
	}
	euro, ok := rates.Euro(p.Amount, p.Currency)
	if !ok {
		return 0, &UnknownCurrency{p.Of, p.Currency, rates.Currencies()}
	}
	if !(p.Amount > 0) || euro <= 0 || euro > fare.MaxPrice {
		return 0, &BadPrice{p}
	}
	return euro, nil
}

// Answer judges the cheapest fare of the route, or that of the departure that was
// asked for, or in its place the price that was given.
func (r *Reader) Answer(ctx context.Context, q Question) (Answer, error) {
	if q.When != nil {
		d, err := r.departures(ctx, q)
		if err != nil {
			return Answer{Found: d.Found}, err
		}
		return r.judge(ctx, q, d)
	}
	f, err := r.Find(ctx, q)
	a := Answer{Found: f}
	if err != nil {
		return a, err
	}
	if q.Price == nil {
		var live bool
		if a.Analysis, live = verdict.Judge(f.Summary, r.Now()); !live {
			return a, &NoLiveFare{f, q.NonStop}
		}
		return a.named(), nil
	}
	price, quoted, err := r.priceIn(ctx, f.Summary, *q.Price)
	if err != nil {
		return a, err
	}
	a.Analysis = verdict.JudgePrice(f.Summary, price, quoted)
	return a.named(), nil
}

// named fills in the names of the cities.
func (a Answer) named() Answer {
	a.Analysis.Origine, a.Analysis.Destinazione = a.Origin.Name, a.Destination.Name
	a.Analysis.OrigineIata, a.Analysis.DestinazioneIata = string(a.Series.Origin), string(a.Series.Destination)
	return a
}

// priceIn is a price in the currency that the fares of a summary are ranked in, of which one euro
// bought so many units when they were: another currency is compared at that rate.
func (r *Reader) priceIn(
	ctx context.Context, ranked verdict.RouteSummary, p Price,
) (price fare.Cents, quoted fare.Money, err error) {
	euro, err := r.euro(ctx, p)
	if err != nil {
		return 0, quoted, err
	}
	if quoted.Currency, err = fare.ParseCurrency(p.Currency); err != nil {
		return 0, quoted, &UnknownCurrency{Parameter: p.Of, Currency: p.Currency}
	}
	quoted.Amount = fare.Cents(math.Round(p.Amount * 100))
	if quoted.Currency == ranked.Currency {
		return quoted.Amount, quoted, nil
	}
	return ranked.FromEuro(euro), quoted, nil
}

// locate resolves the names of a question.
func locate(q Question) (f Found, err error) {
	if f.Origin, err = City(q.From); err != nil {
		return f, err
	}
	if f.Destination, err = City(q.To); err != nil {
		return f, err
	}
	f.Series = fare.Series{Route: fare.Route{Origin: f.Origin.City, Destination: f.Destination.City}, Trip: q.Trip}
	return f, nil
}

// Find resolves the names of a question and reads what is known.
func (r *Reader) Find(ctx context.Context, q Question) (f Found, err error) {
	if f, err = locate(q); err != nil {
		return f, err
	}
	if f.Summary, err = r.Read(ctx, f.Series); errors.Is(err, store.ErrNotFound) {
		return f, &NotCovered{f}
	}
	if err != nil || !q.NonStop {
		return f, err
	}
	var known bool
	if f.Summary, known = f.Summary.WithoutStops(); !known {
		return f, &StopsUnknown{f}
	}
	return f, nil
}

// City resolves a city name; the error of one that is unknown says which names are near.
func City(c Named) (places.Place, error) {
	if p, ok := places.Find(c.Name); ok {
		return p, nil
	}
	return places.Place{}, &UnknownCity{c, places.Suggest(c.Name, 5)}
}

// Read reads the summary of a series, and notes that it was asked for: what is
// covered is then asked of the source every day, and the origin of what is not is
// requested of the next refresh. The error is store.ErrNotFound where nothing was
// ever stored.
func (r *Reader) Read(ctx context.Context, of fare.Series) (verdict.RouteSummary, error) {
	data, _, err := r.Stored.Summary(ctx, of, store.Eventual)
	r.noteAsked(ctx, of, err)
	if err != nil {
		return verdict.RouteSummary{}, err
	}
	return verdict.Decode(data)
}

// The errors say what cannot be answered, and why.
type (
	// UnknownCity is a name that no city with scheduled flights has.
	UnknownCity struct {
		Named
		Suggestions []string
	}
	// SameCity is a journey that ends where it begins.
	SameCity struct {
		From, To Named
		Place    places.Place
	}
	// NotCovered is a route, or a kind of trip on it, of which no fare was ever observed.
	NotCovered struct{ Found }
	// NoLiveFare is a route that is covered and has no fare just now.
	NoLiveFare struct {
		Found
		NonStop bool
	}
	// StopsUnknown is a route of whose fares the source does not say whether they are non-stop.
	StopsUnknown struct{ Found }
	// BadPrice is an amount that no fare has.
	BadPrice struct{ Price }
	// UnknownCurrency is one without a reference rate.
	UnknownCurrency struct {
		Parameter  string
		Currency   string
		Currencies []string // those that have one
	}
)

func (e *UnknownCity) Error() string { return fmt.Sprintf("no city is called %.60q", e.Name) }
func (e *SameCity) Error() string    { return "both names lead to " + e.Place.Name }
func (e *NotCovered) Error() string  { return fmt.Sprintf("%s is not covered", e.Series) }
func (e *NoLiveFare) Error() string  { return fmt.Sprintf("no fare on %s is live", e.Series) }
func (e *StopsUnknown) Error() string {
	return fmt.Sprintf("of the fares on %s it is not known whether they are non-stop", e.Series)
}
func (e *BadPrice) Error() string {
	return fmt.Sprintf("%v %s is the price of no fare", e.Amount, e.Currency)
}
func (e *UnknownCurrency) Error() string {
	return fmt.Sprintf("no reference rate for %.10q", e.Currency)
}
