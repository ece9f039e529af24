package answer

import (
	"context"

	"verdetto/shared/verdict"
)

func (r *Reader) Usual(ctx context.Context, q Question) (f SeriesData, usual verdict.Judgement, err error) {
	d, err := r.departures(ctx, q)
	if err == nil {
		usual, err = verdict.JudgeUsual(d.sheet, d.pooled, q.When.When, r.Now())
	}
	return d.SeriesData, usual, err
}
