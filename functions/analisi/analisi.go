// Package analisi answers GET /v1/analisi: is today's cheapest fare on a route
// cheap, or a price that somebody has seen? Package answer finds and judges it; here
// questions are read and answers are written, as JSON, as a page and as pictures.
// GET /v1/rotte says which routes can be asked for.
package analisi

import (
	"context"
	"strconv"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/httpapi"
	"verdetto/shared/verdict"
)

// Service answers verdicts.
type Service struct {
	*answer.Reader
	Coverage Coverage
	BaseURL  string // where the service is reached, for what must be linked to in full; empty: not known
}

// Named is a city as a caller names it, and the parameter that the name was given in.
type Named = answer.Named

// Ends are the two cities of a question.
type Ends struct {
	Origine      string `query:"origine" required:"true" doc:"Origin city name in Italian, English, French, German, Spanish, Portuguese or the local language; case and accents do not matter. Three capital letters that are an IATA code are that code; in other letters a code is accepted where no city bears that name" example:"Milano"`
	Destinazione string `query:"destinazione" required:"true" doc:"Destination city name, likewise" example:"Bucarest"`
}

func (in *Ends) cities() (origin, destination Named) {
	return Named{Parameter: "origine", Name: in.Origine}, Named{Parameter: "destinazione", Name: in.Destinazione}
}

type input struct {
	Ends
	Diretto bool   `query:"diretto" doc:"Only fares without stops"`
	Notti   string `query:"notti" pattern:"^(1-3|4-7|8-14|15[+ ]?)?$" patternDescription:"1-3, 4-7, 8-14 or 15+ (in a URL 15%2B)" doc:"Return fares with so many nights away, 1-3, 4-7, 8-14 or 15+; without it, one-way fares. They are observed as returns, never added up of two one-way fares"`
	Prezzo  string `query:"prezzo" pattern:"^([0-9]{1,9}([.][0-9]{1,2})?)?$" patternDescription:"an amount such as 45 or 18.49" doc:"A price seen elsewhere, in major units, to be judged in place of today's cheapest fare; no live fare is needed"`
	Valuta  string `query:"valuta" default:"EUR" pattern:"^[A-Za-z]{3}$" patternDescription:"an ISO 4217 code of three letters" doc:"ISO 4217 code of the currency of prezzo"`
}

// question reads what is asked.
func (in *input) question() (q answer.Question, err error) {
	q.From, q.To = in.cities()
	q.NonStop = in.Diretto
	nights := strings.TrimRight(in.Notti, " +")
	if nights == "15" { // a + that was not escaped is a space
		nights = "15+"
	}
	if q.Trip, err = fare.ParseTrip(nights); err != nil {
		return q, httpapi.Invalid(httpapi.Fault{Name: "notti", Detail: "is none of 1-3, 4-7, 8-14 and 15+"})
	}
	if in.Prezzo == "" {
		return q, nil
	}
	amount, err := strconv.ParseFloat(in.Prezzo, 64)
	if err != nil {
		return q, httpapi.Invalid(httpapi.Fault{Name: "prezzo", Detail: "is no amount"})
	}
	q.Price = &answer.Price{Parameter: "prezzo", Amount: amount, Currency: strings.ToUpper(in.Valuta)}
	return q, nil
}

type output struct{ Body verdict.Analysis }

// Register adds the endpoints to an API.
func (s *Service) Register(api *httpapi.API) {
	httpapi.JSON(api, "analisi", httpapi.JSONDoc{
		Summary: "Price verdict for a route",
		Description: "Says whether today's cheapest economy fare for one adult is cheap, compared with the cheapest fare of the same route on past days; or a price that was seen elsewhere. " +
			"Without further parameters it is about one-way fares with any number of stops.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, NoLiveFare, StopsUnknown, httpapi.SameCity, httpapi.UnknownCurrency},
	}, func(ctx context.Context, in *input) error {
		q, err := in.question()
		if err != nil {
			return err
		}
		return Problem(s.Check(ctx, q))
	}, func(ctx context.Context, in *input) (*output, error) {
		q, err := in.question()
		if err != nil {
			return nil, err
		}
		a, err := s.Judged(ctx, q)
		return &output{a}, err
	})
	s.registerRoutes(api)
	registerOpenAPI(api)
	registerDocs(api)
	s.registerHistory(api)
	registerCities(api)
	s.registerHome(api)
	s.registerCard(api)
	registerAssets(api)
}

// Judged answers a question. What it cannot answer is a Problem.
func (s *Service) Judged(ctx context.Context, q answer.Question) (verdict.Analysis, error) {
	a, err := s.Answer(ctx, q)
	return a.Analysis, Problem(err)
}
