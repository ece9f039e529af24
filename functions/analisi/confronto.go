package analisi

import (
	"context"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

type confrontoInput struct {
	Origine      string `query:"origine" required:"true" doc:"Origin city: a name in any of six languages, or an IATA code" example:"Milano"`
	Destinazioni string `query:"destinazioni" required:"true" doc:"Destinations likewise, separated by commas" example:"Bucarest,Londra"`
	Partenze     string `query:"partenze" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2}(,[0-9]{4}-[0-9]{2}-[0-9]{2})*)?$" patternDescription:"days such as 2027-03-20,2027-03-21" doc:"Days of departure, separated by commas; without them, and without mesi, the cheapest of any date"`
	Mesi         string `query:"mesi" pattern:"^([0-9]{4}-(0[1-9]|1[0-2])(,[0-9]{4}-(0[1-9]|1[0-2]))*)?$" patternDescription:"months such as 2027-03,2027-04" doc:"Months of departure, separated by commas. Not together with partenze"`
	Diretto      bool   `query:"diretto" doc:"Only fares without stops"`
	Notti        string `query:"notti" pattern:"^(1-3|4-7|8-14|15[+ ]?)?$" patternDescription:"1-3, 4-7, 8-14 or 15+ (in a URL 15%2B)" doc:"Return fares with so many nights away; without it, one-way fares"`
	published.Shown
}

func (in *confrontoInput) comparison() (published.Comparison, error) {
	list := func(s string) []string {
		if s == "" {
			return nil
		}
		return strings.Split(s, ",")
	}
	return (&published.Trips{
		From: answer.Named{Parameter: "origine", Name: in.Origine}, Destinations: list(in.Destinazioni), Departures: list(in.Partenze), Months: list(in.Mesi),
		Trip: published.Trip{Diretto: in.Diretto, Notti: in.Notti, Valuta: in.Valuta},
	}).Comparison(func(parameter string) string { return several[parameter] })
}

// several are what the parameters of one verdict are called here.
var several = map[string]string{
	"destinazione": "destinazioni", "partenza": "partenze", "mese": "mesi", "diretto": "diretto", "notti": "notti", "valuta": "valuta", "prezzo": "prezzo", "ritorno": "ritorno",
}

func (s *Service) registerComparison(api *httpapi.API) {
	httpapi.JSON(api, "confronto", httpapi.JSONDoc{
		Summary: "Verdicts on several trips",
		Description: "Up to 10 trips from one city in one call: each destination on each departure, or in each month, judged as GET /v1/analisi judges it. " +
			"It counts as so many verdicts, in one step: where fewer are left, those are answered, and what was not says so. A trip without a verdict says why and takes nothing from the others.",
		Problems:      []httpapi.ProblemType{httpapi.SameCity, httpapi.UnknownCurrency},
		ConsumesQuota: true,
	}, func(ctx context.Context, in *confrontoInput) error {
		c, err := in.comparison()
		if err != nil {
			return err
		}
		return s.Answers().CheckTrips(ctx, c)
	}, func(ctx context.Context, in *confrontoInput) (*confrontoOutput, error) {
		trips, err := in.comparison()
		if err != nil {
			return nil, err
		}
		granted, err := api.ConsumeQuotas(ctx, "analisi", trips.Len())
		if err != nil {
			return nil, err
		}
		c, err := s.Answers().Compare(ctx, trips, granted)
		return &confrontoOutput{c}, err
	})
}

type confrontoOutput struct{ Body published.Confronto }
