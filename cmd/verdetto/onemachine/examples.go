package onemachine

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// Example is a route whose verdict has a given level.
type Example struct {
	Level               string
	Origin, Destination string // names of cities, or codes
	Observations        int
}

func (e Example) Query() string {
	return "origine=" + url.QueryEscape(e.Origin) + "&destinazione=" + url.QueryEscape(e.Destination)
}

// name is what a request uses for a city: its name, or its code.
func name(c published.Citta) string { return places.Query(fare.City(c.Codice), c.Nome) }

const maxExamined = 100

// Examples judges the routes of the first maxExamined origins at the current time. For each level
// it returns the route with the most observations, if any. The reads do not count as demand for the
// routes.
func (o Options) Examples(ctx context.Context) ([]Example, error) {
	fares := store.Fares{Table: o.Table}
	coverage := &published.Answers{Reader: answer.NewUnrecorded(fares, o.Now, o.Log)}
	best := map[verdict.Level]Example{}
	page := ""
	for range maxExamined {
		covered, err := coverage.Covered(ctx, answer.Named{}, answer.Named{}, page)
		if err != nil {
			return nil, err
		}
		for _, r := range covered.Rotte {
			route := fare.Route{Origin: fare.City(r.Origine.Codice), Destination: fare.City(r.Destinazione.Codice)}
			a, ok, err := o.judge(ctx, fares, route)
			if err != nil {
				return nil, err
			}
			if level := a.Verdict.Level; ok && a.Observations > best[level].Observations {
				best[level] = Example{string(level), name(r.Origine), name(r.Destinazione), a.Observations}
			}
		}
		if page = covered.Successiva; page == "" {
			break
		}
	}
	var examples []Example
	for _, level := range []verdict.Level{verdict.Great, verdict.Good, verdict.Fair, verdict.Expensive, verdict.Unjudged} {
		if e, ok := best[level]; ok {
			examples = append(examples, e)
		}
	}
	return examples, nil
}

// judge returns false if the route has no verdict at the current time.
func (o Options) judge(ctx context.Context, fares store.Fares, route fare.Route) (verdict.Judgement, bool, error) {
	s, err := fares.Summary(ctx, fare.Series{Route: route})
	if errors.Is(err, store.ErrNotFound) {
		return verdict.Judgement{}, false, nil
	}
	if err != nil {
		return verdict.Judgement{}, false, fmt.Errorf("read summary of %s: %w", route, err)
	}
	a, ok := verdict.Judge(s, o.Now())
	return a, ok, nil
}
