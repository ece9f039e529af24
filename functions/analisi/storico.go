package analisi

import (
	"context"

	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

type historyInput struct {
	published.Ends
	Partenza string `query:"partenza" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" patternDescription:"a day such as 2027-03-20" doc:"Day of departure, from today to 365 days ahead: how its fare moved is told too"`
	Mese     string `query:"mese" pattern:"^([0-9]{4}-(0[1-9]|1[0-2]))?$" patternDescription:"a month such as 2027-03" doc:"Month of departure, from this one to the one of 365 days ahead: how its fares moved is told too. Not together with partenza"`
	Diretto  bool   `query:"diretto" doc:"Only fares without stops"`
	Notti    string `query:"notti" pattern:"^(1-3|4-7|8-14|15[+ ]?)?$" patternDescription:"1-3, 4-7, 8-14 or 15+ (in a URL 15%2B)" doc:"Return fares with so many nights away; without it, one-way fares"`
	published.Shown
}

func (in *historyInput) question() (q answer.Question, err error) {
	trip := published.Trip{Partenza: in.Partenza, Mese: in.Mese, Diretto: in.Diretto, Notti: in.Notti, Valuta: in.Valuta}
	q, err = trip.Question(func(parameter string) string { return parameter })
	q.From, q.To = in.Cities()
	return q, err
}

type historyOutput struct{ Body published.Storico }

func (s *Service) registerHistory(api *httpapi.API) {
	httpapi.JSON(api, "storico", httpapi.JSONDoc{
		Summary:     "History of a route",
		Description: "The lows and medians, week by week, that today's cheapest fare is compared with. With partenza or mese also how the fares of that departure, or of the departures in that month, moved.",
		Problems:    []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, published.StopsUnknown, httpapi.SameCity, httpapi.UnknownCurrency},
	}, func(ctx context.Context, in *historyInput) error {
		q, err := in.question()
		if err != nil {
			return err
		}
		return s.Answers().Check(ctx, q)
	}, func(ctx context.Context, in *historyInput) (*historyOutput, error) {
		q, err := in.question()
		if err != nil {
			return nil, err
		}
		h, err := s.Answers().Past(ctx, q)
		return &historyOutput{h}, err
	})
}
