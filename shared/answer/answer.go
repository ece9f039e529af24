// Package answer turns a question into a judged answer. It resolves city names to a route, reads
// the stored summary of the route's fares, and judges the fares. If a question has no answer, the
// error is one of this package's types, which the caller puts into words. Start with Reader.Answer.
package answer

import (
	"context"
	"errors"
	"fmt"
	"math"

	"golang.org/x/text/currency"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

type Named struct {
	Parameter, Name string
	Means           places.Match
}

func Name(parameter, name string) Named { return Named{parameter, name, places.Read(name)} }

func Code(code string) Named { return Named{Name: code, Means: places.ReadCode(code)} }

type Question struct {
	From, To Named
	Trip     fare.Trip
	NonStop  bool
	Airlines fare.Airlines
	When     *When  // nil for a question about the whole route
	Price    *Price // a price seen elsewhere, judged instead of the stored fare
	Show     Currency
}

type Currency struct{ Parameter, Code string }

// Amount is in units of a currency: dollars, not cents.
type Price struct {
	Parameter         string
	Amount            float64
	Currency          string
	CurrencyParameter string
}

type Answer struct {
	SeriesData
	Judgement verdict.Judgement
}

type SeriesData struct {
	Origin, Destination places.Place
	Series              fare.Series
	// Summary covers only non-stop fares if the question asks for these. In an Answer about a
	// departure, only AsOf, Currency and PerEuro are set.
	Summary verdict.RouteSummary
}

// Check fails if a question cannot have an answer, such as one about a trip within one city. It
// reads no fares.
func (r *Reader) Check(ctx context.Context, q Question) error {
	if err := Differ(q.From, q.To); err != nil {
		return err
	}
	if q.When != nil {
		if err := q.When.check(Today(q.From.Means.Place, r.Now()), fare.DayOf(r.Now())); err != nil {
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
// euro.
func (r *Reader) Amounts(ctx context.Context, in Currency) (func(fare.Cents) fare.Cents, error) {
	if in.Code == "" || in.Code == fare.EUR.String() {
		return nil, nil
	}
	rates, err := r.Rates(ctx)
	if err != nil {
		return nil, err
	}
	if _, ok := rates.Rate(in.Code); !ok {
		return nil, NoRate(in.Parameter, in.Code, rates)
	}
	return func(c fare.Cents) fare.Cents {
		amount, _ := rates.FromEuro(c, in.Code)
		return amount
	}, nil
}

func Differ(from, to Named) error {
	if city := from.Means.City; city == "" || city != to.Means.City {
		return nil
	}
	return &SameCity{from, to, from.Means.Place}
}

func (r *Reader) euro(ctx context.Context, p Price) (fare.Cents, error) {
	rates, err := r.Rates(ctx)
	if err != nil {
		return 0, err
	}
	euro, ok := rates.Euro(p.Amount, p.Currency)
	if !ok {
		return 0, NoRate(p.CurrencyParameter, p.Currency, rates)
	}
	if !(p.Amount > 0) || euro <= 0 || euro > fare.MaxPrice {
		return 0, &BadPrice{p}
	}
	return euro, nil
}

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
		if a.Judgement, live = verdict.Judge(f.Summary, r.Now()); !live {
			return a, q.without(NoFare, f)
		}
		return a.named(), nil
	}
	price, quoted, err := r.priceIn(ctx, f.Summary, *q.Price)
	if err != nil {
		return a, err
	}
	a.Judgement = verdict.JudgePrice(f.Summary, price, quoted, r.Now())
	return a.named(), nil
}

func (a Answer) named() Answer {
	a.Judgement.Airports = a.Series.Airports
	return a
}

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

func locate(q Question) (f SeriesData, err error) {
	if f.Origin, err = City(q.From); err != nil {
		return f, err
	}
	if f.Destination, err = City(q.To); err != nil {
		return f, err
	}
	f.Series = fare.Series{Route: fare.Route{Origin: f.Origin.City, Destination: f.Destination.City}, Trip: q.Trip}
	f.Series.Airports = fare.Airports{From: q.From.Means.Of, To: q.To.Means.Of}
	return f, nil
}

func (r *Reader) Find(ctx context.Context, q Question) (f SeriesData, err error) {
	if f, err = locate(q); err != nil {
		return f, err
	}
	if f.Series.Airports != (fare.Airports{}) {
		return r.findBetween(ctx, q, f)
	}
	return r.findCities(ctx, q, f)
}

func (r *Reader) findCities(ctx context.Context, q Question, f SeriesData) (_ SeriesData, err error) {
	if f.Summary, err = r.Read(ctx, f.Series); errors.Is(err, store.ErrNotFound) {
		return f, r.notCovered(ctx, q, f)
	}
	if err != nil {
		return f, err
	}
	return f.nonStop(q)
}

func (r *Reader) notCovered(ctx context.Context, q Question, f SeriesData) error {
	e := &NoAnswer{Reason: NotCovered, SeriesData: f, Ends: [2]places.Match{q.From.Means, q.To.Means},
		Collection: r.BeforeFares(ctx)}
	if oneWay := f.Series; oneWay.Trip != fare.OneWay {
		oneWay.Trip = fare.OneWay
		switch _, err := r.Stored.Summary(ctx, oneWay); {
		case err == nil:
			e.Reason = NoReturns
		case !errors.Is(err, store.ErrNotFound):
			return err
		}
	}
	return e
}

func (f SeriesData) nonStop(q Question) (SeriesData, error) {
	if !q.NonStop {
		return f, nil
	}
	var known bool
	if f.Summary, known = f.Summary.WithoutStops(); !known {
		return f, q.without(StopsUnknown, f)
	}
	return f, nil
}

func City(c Named) (places.Place, error) {
	if c.Means.City != "" {
		return c.Means.Place, nil
	}
	return places.Place{}, &UnknownCity{c, places.Suggest(c.Name, 5)}
}

// Read returns store.ErrNotFound if no summary is stored. It also calls recordDemand.
func (r *Reader) Read(ctx context.Context, series fare.Series) (verdict.RouteSummary, error) {
	s, err := r.Stored.Summary(ctx, series)
	r.recordDemand(ctx, series, err)
	return s, err
}

type (
	UnknownCity struct {
		Named
		Suggestions []string
	}
	SameCity struct {
		From, To Named
		Place    places.Place
	}
	BadPrice        struct{ Price }
	UnknownCurrency struct {
		Parameter  string
		Currency   string
		Currencies []string
		Ended      fare.Day // day of the last rate of the currency, or 0 if none is known
	}
)

func NoRate(parameter, currency string, rates fare.Rates) *UnknownCurrency {
	return &UnknownCurrency{parameter, currency, rates.Currencies(), rates.Ended[currency]}
}

func (e *UnknownCity) Error() string { return fmt.Sprintf("no city is called %.60q", e.Name) }
func (e *SameCity) Error() string    { return "both names lead to " + e.Place.Name }
func (e *BadPrice) Error() string {
	return fmt.Sprintf("%v %s is the price of no fare", e.Amount, e.Currency)
}
func (e *UnknownCurrency) Error() string {
	why := "the European Central Bank publishes none, and the currency has no fixed rate to one with a rate"
	if e.Ended != 0 {
		why = "the European Central Bank has published none since " + e.Ended.String()
	} else if _, err := currency.ParseISO(e.Currency); err != nil {
		why = "no currency has this code"
	}
	return fmt.Sprintf("There is no reference rate for %.10s: %s.", e.Currency, why)
}
