package answer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// A question about a departure or a month is answered from the sheet of its
// series, which the refresh carries on: one read, and the pooled part of the
// rule, which a process holds.

// Sheets is where sheets, the pooled part and whole histories are read from; store.Fares provides it.
type Sheets interface {
	// Sheet gives the encoded sheet of a series, or an error that is store.ErrNotFound where none was ever made.
	Sheet(ctx context.Context, s fare.Series, nonStop bool) ([]byte, error)
	// Pooled gives the encoded cycle that was completed last, or store.ErrNotFound.
	Pooled(ctx context.Context, read store.Consistency) ([]byte, int64, error)
	// Blocks gives the whole history of a series, in order; none where there is none.
	Blocks(ctx context.Context, s fare.Series, read store.Consistency) ([]store.StoredBlock, error)
}

// MaxAhead is how many days ahead a departure can be asked for: airlines open sales about a year before.
const MaxAhead = 365

// When is the departure that is asked about, and the parameters that it was given in.
type When struct {
	verdict.When
	Parameter string
	Back      fare.Day // the day of the way back; 0 where none was named
	BackName  string
}

// check refuses a departure that no fare can be known of.
func (w When) check(today fare.Day) error {
	first, last := w.Date, w.Date
	if w.Span != nil && *w.Span == departure.Month {
		first, last = w.Span.Ends(w.Date)
	}
	switch {
	case last < today:
		return &BadDate{w.Parameter, Past, today}
	case first > today+MaxAhead:
		return &BadDate{w.Parameter, Far, today}
	case w.Back != 0 && w.Back <= w.Date:
		return &BadDate{w.BackName, BackFirst, w.Date}
	case w.Back > w.Date+fare.MaxNights:
		return &BadDate{w.BackName, BackFar, w.Date}
	}
	return nil
}

// DateFault is what is wrong with a day.
type DateFault int

const (
	Past      DateFault = iota // it has been
	Far                        // later than MaxAhead days ahead
	BackFirst                  // the way back is not after the way out
	BackFar                    // it is more than fare.MaxNights nights after it
)

// BadDate is a day for which there is no fare. From is the day that it is compared with: today, or the departure.
type BadDate struct {
	Parameter string
	Fault     DateFault
	From      fare.Day
}

func (e *BadDate) Error() string { return fmt.Sprintf("%s: no departure (%d)", e.Parameter, e.Fault) }

// NoFareOn is a departure, a month or some days of a route that is covered for which no fare is live.
type NoFareOn struct {
	Found
	NonStop bool
	When
	Near []fare.Day // departures near it that have a live fare
}

func (e *NoFareOn) Error() string {
	return fmt.Sprintf("no fare on %s of %s is live", e.Series, e.Date)
}

// departure answers about a departure, and gives what the answer was made of.
func (r *Reader) departure(ctx context.Context, q Question) (a Answer, sheet *departure.State, pooled *departure.Pooled, err error) {
	if a.Found, sheet, pooled, err = r.departures(ctx, q); err != nil {
		return a, nil, nil, err
	}
	a.Summary = verdict.RouteSummary{AsOf: sheet.AsOf, Currency: sheet.Currency, PerEuro: sheet.PerEuro}
	known := false
	if now := r.Now(); q.Price != nil {
		var price fare.Cents
		var quoted fare.Money
		if price, quoted, err = r.priceIn(ctx, sheet.Currency, sheet.PerEuro, *q.Price); err != nil {
			return a, nil, nil, err
		}
		a.Analysis, known, err = verdict.JudgeDeparturePrice(sheet, pooled, q.When.When, price, quoted, now)
	} else {
		a.Analysis, known, err = verdict.JudgeDeparture(sheet, pooled, q.When.When, now)
	}
	if err == nil && !known {
		err = noFare(a.Found, q, near(sheet, pooled, fare.DayOf(r.Now()), q.When))
	}
	return a.named(), sheet, pooled, err
}

// noSheet says why there is none: the route is not covered, or nothing was found on it since sheets are made.
func (r *Reader) noSheet(ctx context.Context, f Found, q Question) error {
	_, _, err := r.Summaries.Summary(ctx, f.Series, store.Eventual)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &NotCovered{f}
	case err != nil:
		return err
	}
	return noFare(f, q, nil)
}

// sheet reads the sheet of a series, and notes that it was asked for.
func (r *Reader) sheet(ctx context.Context, of fare.Series, nonStop bool) (*departure.State, error) {
	data, err := r.Sheets.Sheet(ctx, of, nonStop)
	r.noteAsked(ctx, of, err)
	if err != nil {
		return nil, err
	}
	return departure.DecodeState(data)
}

// nearDates is how many departures with a fare are named in place of one that has none.
const nearDates = 3

// near are the departures with a live fare that are nearest to the one asked about, in order.
func near(sheet *departure.State, p *departure.Pooled, today fare.Day, w *When) []fare.Day {
	day, ok := sheet.On(p, today)
	if !ok || w == nil {
		return nil
	}
	var all []fare.Day
	for _, l := range day.Live() {
		all = append(all, l.Depart)
	}
	away := func(d fare.Day) int { return max(int(d-w.Date), int(w.Date-d)) }
	slices.SortStableFunc(all, func(a, b fare.Day) int { return away(a) - away(b) })
	all = all[:min(len(all), nearDates)]
	slices.Sort(all)
	return all
}

// heldPooled returns the pooled part of the last complete cycle, or nil before the first one.
func (r *Reader) heldPooled(ctx context.Context) (*departure.Pooled, error) {
	return r.pooled.Get(r.Now(), func() (*departure.Pooled, time.Duration, error) {
		data, _, err := r.Sheets.Pooled(ctx, store.Eventual)
		if errors.Is(err, store.ErrNotFound) {
			return nil, store.MemoTime, nil
		}
		if err != nil {
			return nil, 0, err
		}
		cycle, err := departure.DecodeCycle(data)
		return cycle.Pooled, store.MemoTime, err
	})
}
