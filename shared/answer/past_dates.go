package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// MaxAhead is the maximum number of days from today to the requested day, or to the first day of
// the requested month. Airlines open sales about a year ahead.
const MaxAhead = 365

type When struct {
	verdict.When
	Parameter string
	Back      fare.Day // day of the return flight; 0 if not given
	BackName  string
}

func Today(p places.Place, now time.Time) fare.Day {
	if p.City != "" {
		_, ahead := now.In(places.Zone(cmp.Or(p.Airport, string(p.City)))).Zone()
		now = now.Add(time.Duration(ahead) * time.Second)
	}
	return fare.DayOf(now)
}

func (w When) check(today, utc fare.Day) error {
	first, last := w.ends()
	switch {
	case last < today:
		return &BadDate{w.Parameter, Past, today}
	case first > max(today, utc)+MaxAhead:
		return &BadDate{w.Parameter, Far, max(today, utc)}
	case w.Back != 0 && w.Back <= w.Date:
		return &BadDate{w.BackName, BackFirst, w.Date}
	case w.Back > w.Date+fare.MaxNights:
		return &BadDate{w.BackName, BackFar, w.Date}
	}
	return nil
}

// ends ignores the days around a flexible date.
func (w When) ends() (first, last fare.Day) {
	if w.Span != nil && *w.Span == departure.Month {
		return w.Span.Ends(w.Date)
	}
	return w.Date, w.Date
}

func (w When) isOver(now time.Time) bool {
	_, last := w.ends()
	return last < fare.DayOf(now)
}

// nowFor returns the last second of a requested day that is over in UTC, because the day may not be
// over at the origin. If a later refresh has dropped the departure, nowFor returns the present time.
func (r *Reader) nowFor(q Question, d departures) time.Time {
	now := r.Now()
	if q.When != nil && d.sheet != nil {
		if _, last := q.When.ends(); d.sheet.AsOf <= last && last < fare.DayOf(now) {
			return (last + 1).Time().Add(-time.Second)
		}
	}
	return now
}

type DateFault int

const (
	Past DateFault = iota
	Far
	BackFirst
	BackFar
)

// From is the day with which the refused day was compared: today, or the day of departure.
type BadDate struct {
	Parameter string
	Fault     DateFault
	From      fare.Day
}

func (e *BadDate) Error() string { return fmt.Sprintf("%s: no departure (%d)", e.Parameter, e.Fault) }

type departures struct {
	SeriesData
	sheet  *departure.State
	pooled *departure.Pooled
}

func (r *Reader) departures(ctx context.Context, q Question) (d departures, err error) {
	if d.SeriesData, err = locate(q); err != nil {
		return d, err
	}
	if d.Series.Airports != (fare.Airports{}) {
		d, err = r.departuresBetween(ctx, q, d.SeriesData)
	} else {
		d, err = r.departuresOfCities(ctx, q, d)
	}
	return d.limitedTo(q.Airlines), err
}

func (r *Reader) departuresOfCities(ctx context.Context, q Question, d departures) (_ departures, err error) {
	d.sheet, err = r.Stored.Sheet(ctx, d.Series, q.NonStop)
	r.recordDemand(ctx, d.Series, err)
	if err == nil {
		err = r.check(ctx, &d, q.NonStop)
	}
	if errors.Is(err, store.ErrNotFound) {
		return d, r.noSheet(ctx, d.SeriesData, q)
	}
	return d, err
}

func (r *Reader) readSheet(ctx context.Context, d *departures, nonStop bool) (err error) {
	if d.sheet, err = r.Stored.Sheet(ctx, d.Series, nonStop); err != nil {
		return err
	}
	return r.check(ctx, d, nonStop)
}

func (r *Reader) check(ctx context.Context, d *departures, nonStop bool) (err error) {
	if nonStop && !d.sheet.NonStopOnly() {
		return &NoAnswer{Reason: StopsUnknown, SeriesData: d.SeriesData}
	}
	d.pooled, err = r.cachedPooled(ctx)
	return err
}

func (r *Reader) noSheet(ctx context.Context, f SeriesData, q Question) error {
	_, err := r.Stored.Summary(ctx, f.Series)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return r.notCovered(ctx, q, f)
	case err != nil:
		return err
	}
	return r.noFare(q, departures{SeriesData: f})
}

func (r *Reader) judge(ctx context.Context, q Question, d departures) (a Answer, err error) {
	a.SeriesData = d.SeriesData
	a.Summary = verdict.RouteSummary{AsOf: d.sheet.AsOf, Currency: d.sheet.Currency, PerEuro: d.sheet.PerEuro}
	var known bool
	switch now := r.nowFor(q, d); {
	case q.When.isOver(now):
	case q.Price == nil:
		a.Judgement, known, err = verdict.JudgeDeparture(d.sheet, d.pooled, q.When.When, now)
	default:
		price, quoted, fault := r.priceIn(ctx, a.Summary, *q.Price)
		if fault != nil {
			return a, fault
		}
		a.Judgement, known, err = verdict.JudgeDeparturePrice(d.sheet, d.pooled, q.When.When, price, quoted, now)
	}
	if err == nil && !known {
		err = r.noFare(q, d)
	}
	return a.named(), err
}

func (r *Reader) noFare(q Question, d departures) error {
	if q.When == nil {
		e := q.without(NoFare, d.SeriesData)
		if d.sheet != nil {
			e.Known = verdict.AirlinesOf(d.sheet.Live)
		}
		return e
	}
	e := q.without(NoFareOn, d.SeriesData)
	if e.When = *q.When; d.sheet == nil {
		return e
	}
	e.Summary = verdict.RouteSummary{AsOf: d.sheet.AsOf, Currency: d.sheet.Currency, PerEuro: d.sheet.PerEuro}
	near, err := verdict.Nearest(d.sheet, d.pooled, q.When.Date, nearDates, r.Now())
	if err != nil {
		return err
	}
	e.Near = near
	if e.Over = q.When.isOver(r.nowFor(q, d)); e.Over {
		return e
	}
	if e.Usual, err = verdict.JudgeUsual(d.sheet, d.pooled, q.When.When, r.nowFor(q, d)); err != nil {
		return err
	}
	return e
}

const nearDates = 3
