package answer

import (
	"context"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// If prices is false, Calendar omits the prices of single departures.
func (r *Reader) Calendar(ctx context.Context, q Question, prices bool) (f SeriesData, c verdict.Calendar,
	err error) {
	d, err := r.departures(ctx, q)
	if err != nil {
		return d.SeriesData, c, err
	}
	var month *fare.Day
	if q.When != nil {
		month = &q.When.Date
	}
	c, known, err := verdict.CalendarOf(d.sheet, d.pooled, month, prices, r.Now())
	if err == nil && !known {
		err = r.noFare(q, d)
	}
	c.Airports = d.Series.Airports
	return d.SeriesData, c, err
}

// WithCalendar returns an answer, and the calendar of the series or nil if there is none. For a
// question about a route, a failed read of the calendar is only logged.
func (r *Reader) WithCalendar(
	ctx context.Context, q Question, prices bool,
) (a Answer, c *verdict.Calendar, err error) {
	var d departures
	if q.When != nil {
		if d, err = r.departures(ctx, q); err != nil {
			return Answer{SeriesData: d.SeriesData}, nil, err
		}
		if a, err = r.judge(ctx, q, d); err != nil {
			return a, nil, err
		}
	} else {
		if a, err = r.Answer(ctx, q); err != nil {
			return a, nil, err
		}
		if d, err = r.departuresOf(ctx, q, a.SeriesData); err != nil {
			r.Log.ErrorContext(ctx, "answer without its calendar", "error", err)
			return a, nil, nil
		}
		if d.sheet == nil {
			return a, nil, nil
		}
		if err = a.Judgement.AddUsual(d.sheet, d.pooled, r.Now()); err != nil {
			return a, nil, err
		}
	}
	all, known, err := verdict.CalendarOf(d.sheet, d.pooled, nil, prices, r.Now())
	if err != nil || !known {
		return a, nil, err
	}
	return a, &all, nil
}

func (r *Reader) departuresOf(ctx context.Context, q Question, f SeriesData) (d departures, err error) {
	if f.Series.Airports == (fare.Airports{}) {
		d, err = r.readDepartures(ctx, f, q.NonStop)
		return d.limitedTo(q.Airlines), err
	}
	d, err = r.departuresBetween(ctx, q, f)
	if err != nil || d.Series != f.Series {
		return departures{}, err
	}
	return d.limitedTo(q.Airlines), nil
}

// WithUsual also calls verdict.Judgement.AddUsual if the question is about a route and the series
// has a departure state. If AddUsual fails, the error is only logged.
func (r *Reader) WithUsual(ctx context.Context, q Question) (Answer, error) {
	a, err := r.Answer(ctx, q)
	if err != nil || q.When != nil {
		return a, err
	}
	d, err := r.readDepartures(ctx, a.SeriesData, q.NonStop)
	d = d.limitedTo(q.Airlines)
	if err == nil && d.sheet != nil {
		err = a.Judgement.AddUsual(d.sheet, d.pooled, r.Now())
	}
	if err != nil {
		r.Log.ErrorContext(ctx, "answer without the usual fare of its day", "error", err)
	}
	return a, nil
}

// OwnDay judges a fare for its own day as of today. The verdict is zero if the fare cannot be
// judged.
func (r *Reader) OwnDay(ctx context.Context, series fare.Series, nonStop bool, j verdict.Judged) (verdict.Verdict, error) {
	d, err := r.readDepartures(ctx, SeriesData{Series: series}, nonStop)
	if err != nil || d.sheet == nil {
		return verdict.Verdict{}, err
	}
	days, err := verdict.OwnDays(d.sheet, d.pooled, []verdict.Judged{j}, r.Now())
	if err != nil {
		return verdict.Verdict{}, err
	}
	return days[0], nil
}

func (r *Reader) readDepartures(ctx context.Context, f SeriesData, nonStop bool) (departures, error) {
	d := departures{SeriesData: f}
	if err := r.readSheet(ctx, &d, nonStop); err != nil {
		return departures{}, orNone(err)
	}
	return d, nil
}
