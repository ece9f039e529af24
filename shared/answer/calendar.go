package answer

import (
	"context"
	"errors"
	"fmt"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
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
	d, err := r.departures(ctx, q)
	if err != nil {
		return d.Found, c, err
	}
	var month *fare.Day
	if q.When != nil {
		month = &q.When.Date
	}
	c, known, err := verdict.CalendarOf(d.sheet, d.pooled, month, prices, r.Now())
	if err == nil && !known {
		err = noFare(d.Found, q, d.near(fare.DayOf(r.Now()), q.When))
	}
	c.Origine, c.Destinazione = d.Origin.Name, d.Destination.Name
	c.OrigineIata, c.DestinazioneIata = string(d.Series.Origin), string(d.Series.Destination)
	return d.Found, c, err
}

// WithCalendar answers as Answer does, and returns besides the calendar of all
// departures of that series; nil where there is none. A departure is answered from
// what its calendar is made of: that is one read for both. An answer about any
// departure comes first, and its calendar is one read more; where that one fails,
// the answer stands without it.
func (r *Reader) WithCalendar(
	ctx context.Context, q Question, prices bool,
) (a Answer, c *verdict.Calendario, err error) {
	var d departures
	if q.When != nil {
		if d, err = r.departures(ctx, q); err != nil {
			return Answer{Found: d.Found}, nil, err
		}
		if a, err = r.judge(ctx, q, d); err != nil {
			return a, nil, err
		}
	} else {
		if a, err = r.Answer(ctx, q); err != nil {
			return a, nil, err
		}
		if d, err = r.beside(ctx, a.Found, q.NonStop); err != nil {
			r.Log.ErrorContext(ctx, "answer without its calendar", "error", err)
			return a, nil, nil
		}
		if d.sheet == nil {
			return a, nil, nil
		}
	}
	all, known, err := verdict.CalendarOf(d.sheet, d.pooled, nil, prices, r.Now())
	if err != nil || !known {
		return a, nil, err
	}
	return a, &all, nil
}

// beside reads the departure state of a series that was answered about. It has no sheet if
// that says nothing of what was asked.
func (r *Reader) beside(ctx context.Context, f Found, nonStop bool) (departures, error) {
	data, err := r.Stored.Sheet(ctx, f.Series, nonStop)
	if errors.Is(err, store.ErrNotFound) {
		return departures{}, nil
	}
	d := departures{Found: f}
	if err == nil {
		err = r.decode(ctx, &d, data, nonStop)
	}
	if errors.As(err, new(*StopsUnknown)) {
		return departures{}, nil
	}
	return d, err
}
