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
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

type Example struct {
	Level               string
	Origin, Destination string
	Observations        int
}

func (e Example) Query() string {
	return "origine=" + url.QueryEscape(e.Origin) + "&destinazione=" + url.QueryEscape(e.Destination)
}

func name(c published.Citta) string { return places.Query(fare.City(c.Codice), c.Nome) }

const maxExamined = 100

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

type Departure struct {
	Route     fare.Route
	Day       fare.Day
	Judgement verdict.Judgement
}

func (d Departure) Path(l *i18n.Language) string {
	from, to := places.Name(d.Route.Origin, l.Code), places.Name(d.Route.Destination, l.Code)
	return "/?" + url.Values{"da": {places.Query(d.Route.Origin, from)}, "a": {places.Query(d.Route.Destination, to)},
		"quando": {d.Day.String()}, "lang": {l.Code}}.Encode()
}

func (d Departure) Sentence(l *i18n.Language) string {
	v := wording.Verdict{Language: l, Of: d.Judgement, On: d.Day, Today: fare.DayOf(d.Judgement.At)}
	return l.Text("setup.verdict", "From", places.Name(d.Route.Origin, l.Code), "To",
		places.Name(d.Route.Destination, l.Code), "Fare", l.Money(d.Judgement.Fare.Price),
		"Verdict", v.Headline())
}

// FirstDeparture returns the departure with the lowest percentile among those that it examines.
func (o Options) FirstDeparture(ctx context.Context) (best Departure, found bool, err error) {
	reader := answer.NewUnrecorded(store.Fares{Table: o.Table}, o.Now, o.Log)
	coverage := &published.Answers{Reader: reader}
	least, examined, page := 101, 0, ""
	for {
		covered, err := coverage.Covered(ctx, answer.Named{}, answer.Named{}, page)
		if err != nil {
			return best, false, err
		}
		for _, r := range covered.Rotte {
			if examined++; examined > maxExamined && found {
				break
			}
			q := answer.Question{From: answer.Code(r.Origine.Codice),
				To: answer.Code(r.Destinazione.Codice)}
			f, calendar, err := reader.Calendar(ctx, q, false)
			if err != nil {
				continue
			}
			for _, day := range calendar.Days {
				if v := day.Verdict; v.Judged() && v.Percentile < least {
					least, found = v.Percentile, true
					best = Departure{Route: f.Series.Route, Day: day.Fare.Depart}
				}
			}
		}
		if page = covered.Successiva; page == "" || found && examined > maxExamined {
			break
		}
	}
	if !found {
		return best, false, ctx.Err()
	}
	a, err := reader.Answer(ctx, answer.Question{From: answer.Code(string(best.Route.Origin)),
		To:   answer.Code(string(best.Route.Destination)),
		When: &answer.When{When: verdict.When{Date: best.Day}}})
	best.Judgement = a.Judgement
	return best, err == nil, err
}
