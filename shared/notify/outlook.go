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

// Answers judges the departure of a fare. answer.Reader implements it.
type Answers interface {
	Answer(context.Context, answer.Question) (answer.Answer, error)
}

type outlook struct{ judgement *verdict.Judgement }

// lookAhead asks for the verdict on a departure. It returns an empty outlook if the departure
// cannot be judged or its cheapest fare has another price by now. Only a failure of the store is an
// error: without an outlook, a mail is still complete.
func lookAhead(ctx context.Context, answers Answers, q answer.Question, price fare.Cents) (outlook, error) {
	if answers == nil {
		return outlook{}, nil
	}
	a, err := answers.Answer(ctx, q)
	if err != nil {
		if !errors.Is(err, store.ErrUnavailable) {
			err = nil // no fare, or not enough data
		}
		return outlook{}, err
	}
	return outlookOf(a.Judgement, price), nil
}

func outlookOf(a verdict.Judgement, price fare.Cents) outlook {
	if !a.Verdict.Judged() || a.Quartiles == nil || a.Fare.Price != price {
		return outlook{}
	}
	return outlook{&a}
}

func (o outlook) departure(l *i18n.Language) []string {
	if o.judgement == nil {
		return nil
	}
	return []string{wording.Verdict{Language: l, Of: *o.judgement}.Half()}
}

func (o outlook) judged() *Judged {
	if o.judgement == nil {
		return nil
	}
	v := o.judgement.Verdict
	return &Judged{v.Level, v.Reliability, v.Median, v.Sample}
}

// waits states the chance for one number of days only.
func (o outlook) waits(l *i18n.Language) []string {
	if o.judgement == nil {
		return nil
	}
	return wording.Waits(l, *o.judgement)
}

func (o outlook) expected() *Expected {
	if o.judgement == nil {
		return nil
	}
	e := Expected{Low: o.judgement.Quartiles.Q1, High: o.judgement.Quartiles.Q3}
	for _, p := range o.judgement.Forecasts {
		e.Waits = append(e.Waits, Wait{Days: p.Days, Fall: p.Chance, More: p.OrMore, Mean: p.Mean, Pays: p.Pays})
	}
	return &e
}
