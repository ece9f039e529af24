package analisitest

import (
	"log/slog"
	"time"

	"verdetto/functions/analisi"
	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// Site is a service over data in memory. By default nothing is stored but what Coverage
// knows, fares are shown one by one, no call is refused, and it is noon of Today.
type Site struct {
	Summaries     Summaries
	Sheets        answer.Sheets
	Coverage      published.Coverage
	Demand        *Requests
	Counters      limit.Counters
	Customers     httpapi.Customers
	BaseURL, Data string
	HideFares     bool
	Now           func() time.Time
}

// Open serves the site.
func (s Site) Open() *httpapi.API {
	log := slog.New(slog.DiscardHandler)
	if s.Sheets == nil {
		s.Sheets = Sheets{}
	}
	if s.Coverage == nil {
		s.Coverage = Coverage{}
	}
	if s.Demand == nil {
		s.Demand = &Requests{}
	}
	if s.Counters == nil {
		s.Counters = Unlimited{}
	}
	if s.Now == nil {
		s.Now = Noon
	}
	reader := &answer.Reader{Summaries: s.Summaries, Sheets: s.Sheets, Demand: s.Demand, Rates: Rates{},
		Now: s.Now, Log: log}
	api := httpapi.New(httpapi.Config{
		Now: s.Now, Log: log, Limiter: limit.New(s.Counters, s.Now), Customers: s.Customers, Data: s.Data,
		AllFares: !s.HideFares,
	})
	(&analisi.Service{Reader: reader, Coverage: s.Coverage, BaseURL: s.BaseURL}).Register(api)
	return api
}

// OfMilBuh is a site with the route from Milan to Bucharest and its departures.
func OfMilBuh() Site {
	return Site{Summaries: Summaries{MilBuh: SummaryOf(40)}, Sheets: Sheets{{Route: MilBuh}: DeparturesOf(60)}}
}
