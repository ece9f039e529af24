package onemachine

import (
	"context"
	"errors"
	"net/url"

	"verdetto/functions/analisi"
	"verdetto/shared/httpapi"
	"verdetto/shared/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// Example is a route that shows a level of verdict.
type Example struct {
	Level               string
	Origin, Destination string // names of cities, or codes
	Observations        int
}

// Query is what GET /v1/analisi is asked for it.
func (e Example) Query() string {
	return "origine=" + url.QueryEscape(e.Origin) + "&destinazione=" + url.QueryEscape(e.Destination)
}

// name is the name of a city, or its code where the name leads to another.
func name(c analisi.Citta) string {
	if p, ok := places.Find(c.Nome); ok && string(p.City) == c.Codice {
		return c.Nome
	}
	return c.Codice
}

// maxExamined bounds how many origins are looked at for examples.
const maxExamined = 100

// Examples judges the routes that the store covers as of now, those of the first
// hundred origins, and gives for each level the one with most observations. A
// level that no route has is left out.
func (o Options) Examples(ctx context.Context) ([]Example, error) {
	fares := store.Fares{Table: o.Table}
	verdicts := &analisi.Service{Summaries: fares, OriginRequests: fares, Coverage: fares, Now: o.Now, Log: o.Log}
	best := map[string]Example{}
	page := ""
	for range maxExamined {
		covered, err := verdicts.Covered(ctx, analisi.Named{}, analisi.Named{}, page)
		if err != nil {
			return nil, err
		}
		for _, r := range covered.Rotte {
			e := Example{Origin: name(r.Origine), Destination: name(r.Destinazione)}
			a, err := verdicts.Analysis(ctx, analisi.Named{Name: e.Origin}, analisi.Named{Name: e.Destination})
			if problem := (*httpapi.Problem)(nil); errors.As(err, &problem) {
				continue // there is no fare just now
			}
			if err != nil {
				return nil, err
			}
			e.Level, e.Observations = a.Verdetto.Livello, a.Osservazioni
			if e.Observations > best[e.Level].Observations {
				best[e.Level] = e
			}
		}
		if page = covered.Successiva; page == "" {
			break
		}
	}
	var examples []Example
	for _, level := range []string{verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro, verdict.Insufficient} {
		if e, ok := best[level]; ok {
			examples = append(examples, e)
		}
	}
	return examples, nil
}
