package analisitest

import (
	"log/slog"
	"time"

	"verdetto/functions/analisi"
	"verdetto/shared/answer"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// Site is the service over data in memory. By default it stores no fares, covers the routes of
// Coverage, shows single fares and refuses no call, at noon of Today.
type Site struct {
	Summaries     Summaries
	Sheets        Departures
	Coverage      Routes
	Demand        *Requests
	Counters      limit.Counters
	BaseURL, Data string
	HideFares     bool
	Now           func() time.Time
}

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
	stored := Fares{Summaries: s.Summaries, Departures: s.Sheets, Requests: s.Demand, Routes: s.Coverage}
	api := httpapi.New(httpapi.Config{
		Now: s.Now, Log: log, Limiter: limit.New(s.Counters, s.Now), Data: s.Data,
		AllFares: !s.HideFares,
	})
	(&analisi.Service{Reader: answer.NewReader(stored, s.Now, log), BaseURL: s.BaseURL}).Register(api)
	return api
}

func OfMilBuh() Site {
	return Site{Summaries: Summaries{MilBuh: SummaryOf(40)}, Sheets: Sheets{{Route: MilBuh}: DeparturesOf(60)}}
}
