// Package analisi answers most JSON endpoints about fares: verdicts, comparisons, calendars, places
// nearby, deals, covered routes, histories, cities. Package analisi describes the endpoints, and
// package published computes most answers. Start reading at Register.
package analisi

import (
	"context"
	"net/http"
	"strings"

	"verdetto/functions/analisi/page"
	"verdetto/functions/analisi/reference"
	"verdetto/functions/analisi/scorecard"
	"verdetto/shared/answer"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

type Service struct {
	*answer.Reader
	Score    scorecard.Score
	BaseURL  string
	Telegram bool
}

func (s *Service) Register(api *httpapi.API) {
	s.registerVerdicts(api)
	s.registerLists(api)
	(&reference.Service{BaseURL: s.BaseURL}).Register(api)
	(&scorecard.Service{Score: s.Score, Now: s.Now}).Register(api)
	registerAlive(api)
	cities, pages := &answer.CoveredCities{Reader: s.Reader}, s.Pages()
	registerCities(api, cities)
	pages.Cities = cities
	pages.Register(api)
}

func (s *Service) Answers() *published.Answers {
	return &published.Answers{Reader: s.Reader}
}

func (s *Service) Pages() *page.Service {
	return &page.Service{Answers: s.Answers(), BaseURL: s.BaseURL, Telegram: s.Telegram}
}

type output[A any] struct{ Body A }

func body[A any](a A, err error) (*output[A], error) { return &output[A]{a}, err }

func (s *Service) registerVerdicts(api *httpapi.API) {
	httpapi.Ask(api, "analisi", httpapi.JSONDoc{
		Summary: "Price verdict for a route",
		Description: "Judges the cheapest economy fare for 1 adult, or a price seen elsewhere. By " +
			"default it compares the cheapest one-way fare of any date with the route's cheapest fares " +
			"of past days. With partenza or mese it compares the fare of that departure or month with " +
			"departures or months this far ahead, and also states what waiting came to.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, published.NoLiveFare,
			published.StopsUnknown, httpapi.SameCity, httpapi.UnknownCurrency},
	}, (*verdictInput).Question, s.Answers().Check,
		func(ctx context.Context, _ *verdictInput, q answer.Question) (*output[published.Analysis], error) {
			return body(s.Answers().Verdict(ctx, q))
		})

	httpapi.Ask(api, "confronto", httpapi.JSONDoc{
		Summary: "Verdicts on several trips",
		Description: "Judges up to 10 trips from one city in one call: each destination on each " +
			"departure, or in each month. Each trip counts as one verdict. If fewer are left, the first " +
			"trips are answered and the others get the problem troppe-richieste. A trip without an " +
			"answer states why.",
		Problems:      []httpapi.ProblemType{httpapi.SameCity, httpapi.UnknownCurrency},
		ConsumesQuota: true,
	}, (*comparisonInput).question, s.Answers().CheckTrips,
		func(ctx context.Context, _ *comparisonInput,
			trips published.Comparison) (*output[published.Confronto], error) {
			granted, err := api.ConsumeQuotas(ctx, "analisi", trips.Len())
			if err != nil {
				return nil, err
			}
			return body(s.Answers().Compare(ctx, trips, granted))
		})

	s.registerDays(api)
}

func (s *Service) registerDays(api *httpapi.API) {
	httpapi.Ask(api, "calendario", httpapi.JSONDoc{
		Summary: "Calendar of a route",
		Description: "Returns the departures of a route with a known fare, by day up to 330 days ahead or " +
			"of a month, and their months. Each has its fare (a day only if this service shows single fares) and the " +
			"level that GET /v1/analisi gives that partenza or mese. Days without a known fare are absent.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, published.NoLiveFare,
			published.StopsUnknown, httpapi.SameCity, httpapi.UnknownCurrency},
		Answer: published.Calendario{},
	}, (*calendarInput).Question, s.Answers().Check,
		func(ctx context.Context, in *calendarInput, q answer.Question) (*httpapi.Tagged, error) {
			c, err := s.Answers().Calendar(ctx, q, httpapi.AllFares(ctx))
			return httpapi.TagJSON(ctx, in.IfNoneMatch, c, err)
		})

	httpapi.Ask(api, "vicini", httpapi.JSONDoc{
		Summary: "The same trip from places nearby",
		Description: "Returns what the same trip costs from the places within 150 km of its origin, and to " +
			"those within 150 km of its destination: of the nearest six, those with a fare, cheapest first, each " +
			"compared with your trip. The call counts once.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, published.NoLiveFare,
			published.StopsUnknown, httpapi.SameCity, httpapi.UnknownCurrency},
	}, (*nearbyInput).Question, s.Answers().Check,
		func(ctx context.Context, _ *nearbyInput, q answer.Question) (*output[published.Vicini], error) {
			return body(s.Answers().Nearby(ctx, q))
		})
}

func (s *Service) registerLists(api *httpapi.API) {
	httpapi.Ask(api, "occasioni", httpapi.JSONDoc{
		Summary: "Cheap destinations now",
		Description: "Returns the destinations from a city with a known fare, best verdict first: the " +
			"cheapest fare of each, of any date or of a month. A fare of any date is compared with the " +
			"route's cheapest of other days, that of a month with the cheapest of other months. Returns are " +
			"of any date. Destinations without such a fare are left out, with diretto also those with unknown " +
			"stops. With airlines and mese or notti, a destination is listed only if its cheapest fare is of " +
			"these airlines. The list is also a feed: /feed/MIL-it.atom and /feed/MIL-it.json.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, httpapi.UnknownCurrency},
		Answer:   published.Occasioni{},
	}, (*dealsInput).Question, s.Answers().CheckDeals,
		func(ctx context.Context, in *dealsInput, q published.DealsQuestion) (*httpapi.Tagged, error) {
			o, err := s.Answers().Deals(ctx, q)
			return httpapi.TagJSON(ctx, in.IfNoneMatch, o, err)
		})

	httpapi.Ask(api, "storico", httpapi.JSONDoc{
		Summary: "History of a route",
		Description: "Returns the weekly lows and medians of a route. With partenza or mese it also " +
			"returns the fares of that departure by day, or the lows and medians for that month by week.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, published.StopsUnknown,
			httpapi.SameCity, httpapi.UnknownCurrency},
	}, (*historyInput).Question, s.Answers().Check,
		func(ctx context.Context, _ *historyInput, q answer.Question) (*output[published.Storico], error) {
			return body(s.Answers().Past(ctx, q))
		})

	httpapi.JSON(api, "rotte", httpapi.JSONDoc{
		Summary: "Covered routes",
		Description: "Returns the routes of which one-way fares were observed, each with the number of fares " +
			"and the time of the newest.",
		Problems: []httpapi.ProblemType{httpapi.UnknownCity},
	}, nil, func(ctx context.Context, in *routesInput) (*output[published.Routes], error) {
		from, to := answer.Name("origine", in.Origine),
			answer.Name("destinazione", in.Destinazione)
		return body(s.Answers().Covered(ctx, from, to, in.Page))
	})

	httpapi.JSON(api, "consumo", httpapi.JSONDoc{
		Summary: "Calls left",
		Description: "Returns your quotas, with or without a key: calls used and calls left; with a key " +
			"also the end of the plan and its payments.",
	}, nil, func(ctx context.Context, _ *struct{}) (*output[published.Consumo], error) {
		return body(published.UsageOf(ctx))
	})
}

func registerAlive(api *httpapi.API) {
	api.Mount(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-store")
		if r.Method != http.MethodHead {
			_, _ = w.Write([]byte(`{"stato":"attivo"}` + "\n"))
		}
	}), "salute")
}

type verdictInput struct {
	published.VerdictInput
	httpapi.LanguageInput
	httpapi.FieldsInput
}

type calendarInput struct {
	published.CalendarInput
	httpapi.LanguageInput
	httpapi.FieldsInput
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of an answer that you already have"`
}

type nearbyInput struct {
	published.NearbyInput
	httpapi.LanguageInput
	httpapi.FieldsInput
}

type dealsInput struct {
	published.DealsInput
	httpapi.LanguageInput
	httpapi.FieldsInput
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of an answer that you already have"`
}

type historyInput struct {
	published.HistoryInput
	httpapi.LanguageInput
	httpapi.FieldsInput
}

type routesInput struct {
	Origine      string `query:"origine" doc:"Only routes from this city (name or IATA code)" example:"Milano"`
	Destinazione string `query:"destinazione" doc:"Only routes to this city (name or IATA code)"`
	Page         string `query:"page" pattern:"^([A-Z]{3})?$" patternDescription:"what an earlier answer gave as successiva" doc:"The next page: successiva of the previous answer"`
	httpapi.LanguageInput
	httpapi.FieldsInput
}

type comparisonInput struct {
	Origine        string `query:"origine" required:"true" doc:"Origin city: a name in any of six languages, or an IATA code" example:"Milano"`
	Destinazioni   string `query:"destinazioni" required:"true" doc:"Destinations: names or IATA codes, separated by commas or semicolons. Lisbon, Portugal is one name" example:"Bucarest,Londra"`
	Partenze       string `query:"partenze" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2}(,[0-9]{4}-[0-9]{2}-[0-9]{2})*)?$" patternDescription:"days such as 2027-03-20,2027-03-21" doc:"Days of departure, separated by commas. Default, without mesi: the cheapest of any date"`
	Mesi           string `query:"mesi" pattern:"^([0-9]{4}-(0[1-9]|1[0-2])(,[0-9]{4}-(0[1-9]|1[0-2]))*)?$" patternDescription:"months such as 2027-03,2027-04" doc:"Months of departure, separated by commas. Not together with partenze"`
	published.Trip `without:"partenza,flessibile,mese,ritorno,prezzo,vettore,senzaVettore"`
	httpapi.LanguageInput
	httpapi.FieldsInput
}

func (in *comparisonInput) question() (published.Comparison, error) {
	list := func(s string, split func(string) []string) []string {
		if s == "" {
			return nil
		}
		return split(s)
	}
	atCommas := func(s string) []string { return strings.Split(s, ",") }
	return (&published.Trips{
		From: answer.Name("origine", in.Origine), Destinations: list(in.Destinazioni, places.List),
		Departures: list(in.Partenze, atCommas), Months: list(in.Mesi, atCommas),
		Trip: in.Trip,
	}).Comparison(func(parameter string) string { return several[parameter] })
}

var several = map[string]string{
	"destinazione": "destinazioni", "partenza": "partenze", "mese": "mesi", "diretto": "diretto", "notti": "notti",
	"valuta": "valuta", "prezzo": "prezzo", "ritorno": "ritorno",
}
