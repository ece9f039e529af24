package answer

import (
	"context"
	"errors"
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// NoCalendar is a route that is covered and of whose departures none has a fare just now.
type NoCalendar struct {
	Found
	NonStop bool
}

func (e *NoCalendar) Error() string {
	return fmt.Sprintf("no departure of %s has a live fare", e.Series)
}

// Calendar judges the departures of a route day by day: those of the month that
// the question names, or all. Without prices it shows no fare of a departure.
func (r *Reader) Calendar(ctx context.Context, q Question, prices bool) (f Found, c verdict.Calendario, err error) {
	f, sheet, pooled, err := r.departures(ctx, q)
	if err != nil {
		return f, c, err
	}
	var month *fare.Day
	if q.When != nil {
		month = &q.When.Date
	}
	c, known, err := verdict.CalendarOf(sheet, pooled, month, prices, r.Now())
	if err == nil && !known {
		err = noFare(f, q, near(sheet, pooled, fare.DayOf(r.Now()), q.When))
	}
	c.Origine, c.Destinazione = f.Origin.Name, f.Destination.Name
	c.OrigineIata, c.DestinazioneIata = string(f.Series.Origin), string(f.Series.Destination)
	return f, c, err
}

// WithCalendar answers as Answer does, and gives besides the calendar of all
// departures of that series; nil where there is none. A departure is answered from
// what its calendar is made of: that is one read for both. An answer about any
// departure comes first, and its calendar is one read more; where that one fails,
// the answer stands without it.
func (r *Reader) WithCalendar(ctx context.Context, q Question, prices bool) (a Answer, c *verdict.Calendario, err error) {
	var sheet *departure.State
	var pooled *departure.Pooled
	if q.When != nil {
		if a, sheet, pooled, err = r.departure(ctx, q); err != nil {
			return a, nil, err
		}
	} else {
		if a, err = r.Answer(ctx, q); err != nil {
			return a, nil, err
		}
		if sheet, pooled, err = r.sheetBeside(ctx, a.Series, q.NonStop); err != nil {
			r.Log.ErrorContext(ctx, "answer without its calendar", "error", err)
		}
		if sheet == nil {
			return a, nil, nil
		}
	}
	all, known, err := verdict.CalendarOf(sheet, pooled, nil, prices, r.Now())
	if err != nil || !known {
		return a, nil, err
	}
	return a, &all, nil
}

// sheetBeside reads the sheet of a series that was answered about; nil where it
// says nothing of what was asked.
func (r *Reader) sheetBeside(ctx context.Context, of fare.Series, nonStop bool) (*departure.State, *departure.Pooled, error) {
	data, err := r.Sheets.Sheet(ctx, of, nonStop)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	sheet, err := departure.DecodeState(data)
	if err != nil || nonStop && !sheet.NonStopOnly() {
		return nil, nil, err
	}
	pooled, err := r.heldPooled(ctx)
	if err != nil {
		return nil, nil, err
	}
	return sheet, pooled, nil
}

// departures reads what a question about departures is answered from: the sheet
// of its series, which is the one read, and the pooled part, which a process holds.
func (r *Reader) departures(ctx context.Context, q Question) (f Found, sheet *departure.State, pooled *departure.Pooled, err error) {
	if f, err = locate(q); err != nil {
		return f, nil, nil, err
	}
	sheet, err = r.sheet(ctx, f.Series, q.NonStop)
	if errors.Is(err, store.ErrNotFound) {
		err = r.noSheet(ctx, f, q)
	} else if err == nil && q.NonStop && !sheet.NonStopOnly() {
		err = &StopsUnknown{f}
	}
	if err == nil {
		pooled, err = r.heldPooled(ctx)
	}
	return f, sheet, pooled, err
}

// noFare says that a question about departures finds none with a fare; near are others that have one.
func noFare(f Found, q Question, near []fare.Day) error {
	if q.When == nil {
		return &NoCalendar{f, q.NonStop}
	}
	return &NoFareOn{f, q.NonStop, *q.When, near}
}
