package answer

import (
	"context"

	"verdetto/shared/verdict"
)

// Usual judges the usual fare of the departure in the question. The departure needs no known fare.
func (r *Reader) Usual(ctx context.Context, q Question) (f SeriesData, usual verdict.Judgement, err error) {
	d, err := r.departures(ctx, q)
	if err == nil {
		usual, err = verdict.JudgeUsual(d.sheet, d.pooled, q.When.When, r.Now())
	}
	return d.SeriesData, usual, err
}
