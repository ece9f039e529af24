package answer

import (
	"context"
	"errors"
	"fmt"

	"verdetto/shared/departure"
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

// departures reads what a question about departures is answered from: the sheet
// of its series, which is the one read, and the pooled part, which a process holds.
func (r *Reader) departures(ctx context.Context, q Question) (f Found, sheet *departure.Sheet, pooled *departure.Pooled, err error) {
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
