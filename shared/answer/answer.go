// Package answer turns a question into a judged answer. It resolves city names to a route, reads
// the stored summary of the route's fares, and judges the fares. The API, the pages, the tools for
// agents and the images all use this package, so their answers agree. Start with Reader.Answer.
//
// An answer costs one read of the store, however long the history is. WithCalendar may read once
// more, and Moves reads a whole history. If a question has no answer, the result is an error of this
// package. The caller explains the error in its own words. Check refuses impossible questions without
// reading the route.
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

// Named is a city name that a caller sent, with the name of the request parameter that contained
// it.
type Named struct{ Parameter, Name string }

// Question is a question about the fares of a route.
type Question struct {
	From, To Named
	Trip     fare.Trip     // one-way, or a return trip with a range of nights (1-3, 4-7, ...)
	NonStop  bool          // only fares without stops
	Airlines fare.Airlines // only fares of these airlines; see verdict.Vettori
	When     *When         // the departure; nil: the cheapest fare of the route
	Price    *Price        // a price seen elsewhere, judged instead of the stored fare; may be nil
	Show     Currency      // currency of the amounts in the answer
}

// Currency is an ISO 4217 code that a caller sent, with the name of the request parameter that
// contained it. The zero value is the euro.
type Currency struct{ Parameter, Code string }

// Price is an amount in whole units of a currency (ISO 4217), such as dollars.
type Price struct {
	Parameter         string // request parameter that contained the amount
	Amount            float64
	Currency          string
	CurrencyParameter string // request parameter that contained the currency
}

// Answer is a judged answer, with the stored data from which it was judged.
type Answer struct {
	SeriesData
	Analysis verdict.Analysis
}

// SeriesData holds the stored data of a series: a route and a kind of trip.
type SeriesData struct {
	Origin, Destination places.Place
	Series              fare.Series
	// Summary covers the requested fares: all fares, or only non-stop fares. For a question about a
	// departure, only AsOf, Currency and PerEuro are set.
	Summary verdict.RouteSummary
}

// Check fails if a question cannot have an answer. Examples are a trip within one city, an
// impossible departure or price, and a currency without an exchange rate.
func (r *Reader) Check(ctx context.Context, q Question) error {
	if err := Differ(q.From, q.To); err != nil {
		return err
	}
	for _, end := range []Named{q.From, q.To} {
		if _, err := City(end); errors.As(err, new(*ClosedAirport)) {
			return err
		}
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

// Amounts returns a function that converts EUR cents to hundredths of a currency, or nil for the
// euro. All amounts converted by this function use the same exchange rates.
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
		amount, _ := rates.FromEuro(c, in.Code)
		return amount
	}, nil
}

// Differ fails with SameCity if both names mean the same city.
func Differ(from, to Named) error {
	origin, ok1 := places.Find(from.Name)
	destination, ok2 := places.Find(to.Name)
	if !ok1 || !ok2 || origin.City != destination.City {
		return nil
	}
	return &SameCity{from, to, origin}
}

// euro converts a price to EUR cents. It fails with BadPrice if no fare can have that price.
func (r *Reader) euro(ctx context.Context, p Price) (fare.Cents, error) {
	rates, err := r.Rates(ctx)
	if err != nil {
		return 0, err
	}
	euro, ok := rates.Euro(p.Amount, p.Currency)
	if !ok {
		return 0, &UnknownCurrency{p.CurrencyParameter, p.Currency, rates.Currencies()}
	}
	if !(p.Amount > 0) || euro <= 0 || euro > fare.MaxPrice {
		return 0, &BadPrice{p}
	}
	return euro, nil
}

// Answer judges the price in the question, if the question has one. Otherwise it judges the fare of
// the requested departure or, without a departure, the cheapest fare of the route.
func (r *Reader) Answer(ctx context.Context, q Question) (Answer, error) {
	if q.When != nil {
		d, err := r.departures(ctx, q)
		if err != nil {
			return Answer{SeriesData: d.SeriesData}, err
		}
		return r.judge(ctx, q, d)
	}
	f, err := r.Find(ctx, q)
	if err == nil {
		f, err = r.ofAirlines(ctx, q, f)
	}
	a := Answer{SeriesData: f}
	if err != nil {
		return a, err
	}
	if q.Price == nil {
		var live bool
		if a.Analysis, live = verdict.Judge(f.Summary, r.Now()); !live {
			return a, &NoLiveFare{f, q.NonStop, q.Airlines}
		}
		return a.named(q), nil
	}
	price, quoted, err := r.priceIn(ctx, f.Summary, *q.Price)
	if err != nil {
		return a, err
	}
	a.Analysis = verdict.JudgePrice(f.Summary, price, quoted, r.Now())
	return a.named(q), nil
}

// named returns the answer with the names and codes of both cities and of the airlines filled in.
func (a Answer) named(q Question) Answer {
	a.Analysis.Vettori = verdict.VettoriOf(q.Airlines)
	a.Analysis.Origine, a.Analysis.Destinazione = a.Origin.Name, a.Destination.Name
	a.Analysis.OrigineIata, a.Analysis.DestinazioneIata = string(a.Series.Origin), string(a.Series.Destination)
	a.Analysis.Tratta = a.Analysis.Tratta.Between(a.Series.Airports)
	return a
}

// priceIn converts a price to the currency of a summary. It uses the exchange rate of the day when
// the summary was computed.
func (r *Reader) priceIn(
	ctx context.Context, ranked verdict.RouteSummary, p Price,
) (price fare.Cents, quoted fare.Money, err error) {
	euro, err := r.euro(ctx, p)
	if err != nil {
		return 0, quoted, err
	}
	if quoted.Currency, err = fare.ParseCurrency(p.Currency); err != nil {
		return 0, quoted, &UnknownCurrency{Parameter: p.CurrencyParameter, Currency: p.Currency}
	}
	quoted.Amount = fare.Cents(math.Round(p.Amount * 100))
	if quoted.Currency == ranked.Currency {
		return quoted.Amount, quoted, nil
	}
	return ranked.FromEuro(euro), quoted, nil
}

// locate resolves the city names of a question.
func locate(q Question) (f SeriesData, err error) {
	if f.Origin, err = City(q.From); err != nil {
		return f, err
	}
	if f.Destination, err = City(q.To); err != nil {
		return f, err
	}
	f.Series = fare.Series{Route: fare.Route{Origin: f.Origin.City, Destination: f.Destination.City}, Trip: q.Trip}
	f.Series.Airports.From, _ = places.Airport(q.From.Name)
	f.Series.Airports.To, _ = places.Airport(q.To.Name)
	return f, nil
}

// Find resolves the city names of a question and reads the stored data of the route.
func (r *Reader) Find(ctx context.Context, q Question) (f SeriesData, err error) {
	if f, err = locate(q); err != nil {
		return f, err
	}
	if f.Series.Airports != (fare.Airports{}) {
		return r.findBetween(ctx, q, f)
	}
	return r.findCities(ctx, q, f)
}

// findCities reads the stored data of a route of cities.
func (r *Reader) findCities(ctx context.Context, q Question, f SeriesData) (_ SeriesData, err error) {
	if f.Summary, err = r.Read(ctx, f.Series); errors.Is(err, store.ErrNotFound) {
		return f, &NotCovered{f, r.BeforeFares(ctx)}
	}
	if err != nil {
		return f, err
	}
	return f.nonStop(q)
}

// nonStop leaves only fares without stops, if the question wants only these.
func (f SeriesData) nonStop(q Question) (SeriesData, error) {
	if !q.NonStop {
		return f, nil
	}
	var known bool
	if f.Summary, known = f.Summary.WithoutStops(); !known {
		return f, &StopsUnknown{f}
	}
	return f, nil
}

// City resolves a city name. If the city is unknown, it fails with UnknownCity, which suggests
// similar names. The code of an airport without scheduled flights fails with ClosedAirport.
func City(c Named) (places.Place, error) {
	if p, ok := places.Find(c.Name); ok && places.IsClosed(c.Name) {
		return p, &ClosedAirport{c, p}
	} else if ok {
		return p, nil
	}
	return places.Place{}, &UnknownCity{c, places.Suggest(c.Name, 5)}
}

// Read returns the summary of a series (route and kind of trip), or store.ErrNotFound if none is
// stored. It also records that a caller asked for the series. So the service refreshes a
// covered series every day, and asks the fare source for an uncovered origin at the next refresh.
func (r *Reader) Read(ctx context.Context, of fare.Series) (verdict.RouteSummary, error) {
	data, _, err := r.Stored.Summary(ctx, of, store.Eventual)
	r.recordDemand(ctx, of, err)
	return store.Decode(data, err, verdict.Decode)
}

// These errors say why a question has no answer.
type (
	// UnknownCity means that the name matches no city with scheduled flights.
	UnknownCity struct {
		Named
		Suggestions []string
	}
	// ClosedAirport means that the airport has no scheduled flights.
	ClosedAirport struct {
		Named
		Place places.Place // the city
	}
	// SameCity means that origin and destination are the same city.
	SameCity struct {
		From, To Named
		Place    places.Place
	}
	// NotCovered means that no fare of the series (route and kind of trip) was ever observed.
	NotCovered struct {
		SeriesData
		Collection *verdict.Raccolta // of a service without any fare; nil for others
	}
	// NoLiveFare means that the route is covered, but has no current fare.
	NoLiveFare struct {
		SeriesData
		NonStop  bool
		Airlines fare.Airlines
	}
	// StopsUnknown means that the fares of the route do not say whether they are non-stop.
	StopsUnknown struct{ SeriesData }
	// BadPrice means that no fare can have this price.
	BadPrice struct{ Price }
	// UnknownCurrency means that there is no exchange rate for the currency.
	UnknownCurrency struct {
		Parameter  string
		Currency   string
		Currencies []string // currencies with a rate
	}
)

func (e *UnknownCity) Error() string   { return fmt.Sprintf("no city is called %.60q", e.Name) }
func (e *ClosedAirport) Error() string { return e.Name + " has no scheduled flights" }
func (e *SameCity) Error() string      { return "both names lead to " + e.Place.Name }
func (e *NotCovered) Error() string    { return fmt.Sprintf("%s is not covered", e.Series) }
func (e *NoLiveFare) Error() string    { return fmt.Sprintf("no fare on %s is live", e.Series) }
func (e *StopsUnknown) Error() string {
	return fmt.Sprintf("of the fares on %s it is not known whether they are non-stop", e.Series)
}
func (e *BadPrice) Error() string {
	return fmt.Sprintf("%v %s is the price of no fare", e.Amount, e.Currency)
}
func (e *UnknownCurrency) Error() string {
	return fmt.Sprintf("no reference rate for %.10q", e.Currency)
}
