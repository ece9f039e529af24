package notify

import (
	"context"
	"errors"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

type Answers interface {
	Answer(context.Context, answer.Question) (answer.Answer, error)
}

func lookAhead(ctx context.Context, answers Answers, q answer.Question, price fare.Cents) (*verdict.Judgement, error) {
	if answers == nil {
		return nil, nil
	}
	a, err := answers.Answer(ctx, q)
	if errors.Is(err, store.ErrUnavailable) {
		return nil, err
	}
	j := a.Judgement
	if err != nil || !j.Verdict.Judged() || j.Quartiles == nil || j.Fare.Price != price {
		return nil, nil //nolint:nilerr // no fare, or not enough data
	}
	return &j, nil
}

func (f Fare) lookingAhead(j *verdict.Judgement, l *i18n.Language) Fare {
	if j != nil {
		f.ForDay, f.Judgement = judged(j.Verdict, j.Verdict.Sample), j
		f.Departure = []string{wording.Verdict{Language: l, Of: *j}.Half()}
		f.Waits = wording.Waits(l, *j)
	}
	return f
}

func judged(v verdict.Verdict, sample int) *Judged {
	return &Judged{v.Level, v.Reliability, v.Median, sample}
}
