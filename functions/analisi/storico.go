package analisi

import (
	"context"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/httpapi"
	"verdetto/shared/verdict"
)

// freeWeeks is how far back the weeks of a route are shown without a key.
const freeWeeks = 26

// Storico is the published history of a route: the weeks behind the picture.
type Storico struct {
	Origine      string      `json:"origine" doc:"Origin city name, as matched" example:"Milano"`
	Destinazione string      `json:"destinazione" doc:"Destination city name, as matched" example:"Bucarest"`
	Valuta       string      `json:"valuta" doc:"ISO 4217 code of the currency of all *Cent fields" example:"EUR"`
	OggiCent     *fare.Cents `json:"oggiCent,omitempty" doc:"Today's cheapest fare, in cents; absent where no fare is live"`
	Settimane    []Settimana `json:"settimane" nullable:"false" doc:"Weeks in which fares were found, oldest first: without a key those of the last 26 weeks, with a Pro key all that are kept, three years"`
	AggiornatoIl time.Time   `json:"aggiornatoIl" format:"date-time" doc:"When the newest observation was found, UTC"`
}

// Settimana is the cheapest fares of a week's days: for each day on which something was found, the cheapest that was live.
type Settimana struct {
	Settimana   string     `json:"settimana" doc:"Week by ISO 8601" example:"2016-W09"`
	Dal         string     `json:"dal" format:"date" doc:"Its Monday" example:"2016-02-29"`
	MinimoCent  fare.Cents `json:"minimoCent" doc:"Cheapest of the days' cheapest fares, in cents"`
	MedianaCent fare.Cents `json:"medianaCent" doc:"Median of the days' cheapest fares, in cents"`
	Giorni      int        `json:"giorni" minimum:"1" maximum:"7" doc:"Days of the week with a known cheapest fare"`
}

type historyOutput struct{ Body Storico }

func (s *Service) registerHistory(api *httpapi.API) {
	httpapi.JSON(api, "storico", httpapi.JSONDoc{
		Summary:     "Weekly history of a route",
		Description: "The lows and medians, week by week, that today's cheapest fare is compared with.",
		Problems:    []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered},
	}, func(_ context.Context, in *Ends) error { return Differ(in.cities()) }, s.history)
}

func (s *Service) history(ctx context.Context, in *Ends) (*historyOutput, error) {
	var q answer.Question
	q.From, q.To = in.cities()
	f, err := s.Find(ctx, q)
	if err != nil {
		return nil, Problem(err)
	}
	summary := f.Summary
	today := fare.DayOf(s.Now())
	weeks := verdict.Weeks(summary)
	if !httpapi.IsPro(ctx) {
		weeks = verdict.Since(weeks, today, freeWeeks)
	}
	out := &historyOutput{Storico{
		Origine: f.Origin.Name, Destinazione: f.Destination.Name, Valuta: "EUR",
		Settimane: make([]Settimana, len(weeks)), AggiornatoIl: time.Unix(summary.Newest, 0).UTC(),
	}}
	if live, ok := summary.Cheapest(today); ok {
		price := summary.Euro(live.Price)
		out.Body.OggiCent = &price
	}
	for i, w := range weeks {
		out.Body.Settimane[i] = Settimana{w.Name(), w.First.String(), w.Minimum, w.Median, w.Days}
	}
	return out, nil
}
