package notify

import (
	"context"
	"errors"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/i18n"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/wording"
)

// Answers judges what mails say beside the news itself; answer.Reader provides it.
type Answers interface {
	Answer(context.Context, answer.Question) (answer.Answer, error)
}

// outlook is what can be said of the departure that a fare is for: what is usual
// for it, and what waiting has come to on the record.
type outlook struct{ of *verdict.Analysis }

// lookAhead asks about the departure of news. Nothing is said where it cannot be
// judged, or where another fare is the cheapest for it by now; only a fault of the
// store is an error, and the mail is good without.
func lookAhead(ctx context.Context, answers Answers, n news) (outlook, error) {
	if answers == nil {
		return outlook{}, nil
	}
	a, err := answers.Answer(ctx, answer.Question{
		From: answer.Named{Name: string(n.Route.Origin)}, To: answer.Named{Name: string(n.Route.Destination)},
		When: &answer.When{When: verdict.When{Date: n.Depart}},
	})
	if err != nil {
		if !errors.Is(err, store.ErrUnavailable) {
			err = nil // no fare, or not enough is known of it
		}
		return outlook{}, err
	}
	if a.Analysis.Verdetto.Percentile == nil || a.Analysis.Prezzo.Cent != n.Price {
		return outlook{}, nil
	}
	return outlook{&a.Analysis}, nil
}

// departure says what is usual for the departure.
func (o outlook) departure(l *i18n.Language) []string {
	if o.of == nil {
		return nil
	}
	return []string{wording.Typical(l, *o.of), wording.Comparables(l, *o.of.Verdetto.Percentile)}
}

// waits says what waiting has come to.
func (o outlook) waits(l *i18n.Language) []string {
	if o.of == nil {
		return nil
	}
	return wording.Waits(l, *o.of)
}

// pageOf is the page that shows the verdict of a route.
func (l Links) pageOf(route fare.Route, lang string) string {
	return l.BaseURL + "/?da=" + string(route.Origin) + "&a=" + string(route.Destination) + "&lang=" + lang
}
