package answer

import (
	"context"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// OwnDay judges a fare for its own day as of today, as the page of that day does. A list that a
// refresh stored days ago does not say this: the usual price changes with the lead time. It costs one
// read. The verdict is zero if the fare cannot be judged.
func (r *Reader) OwnDay(ctx context.Context, of fare.Series, nonStop bool, j verdict.Judged) (verdict.Verdict, error) {
	d, err := r.readDepartures(ctx, SeriesData{Series: of}, nonStop)
	if err != nil || d.sheet == nil {
		return verdict.Verdict{}, err
	}
	days, err := verdict.OwnDays(d.sheet, d.pooled, []verdict.Judged{j}, r.Now())
	if err != nil {
		return verdict.Verdict{}, err
	}
	return days[0], nil
}
