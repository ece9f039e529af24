// Package analisitest holds test data in memory for the tests of functions/analisi and of its
// subpackages. The data are a route from Milan to Bucharest with departures, deals from Milan, and
// exchange rates. Start reading at Site.
package analisitest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/trends"
	"verdetto/shared/web/limit"
)

// If a value of Summaries is an error, reading that route fails with it.
type Summaries map[fare.Route]any

func (s Summaries) Summary(_ context.Context, r fare.Series, _ store.Consistency) ([]byte, int64, error) {
	if r != (fare.Series{Route: r.Route}) {
		return nil, 0, store.ErrNotFound
	}
	switch v := s[r.Route].(type) {
	case verdict.RouteSummary:
		return v.Encode(), 1, nil
	case []byte:
		return v, 1, nil
	case error:
		return nil, 0, v
	}
	return nil, 0, store.ErrNotFound
}

var (
	MilBuh = fare.Route{Origin: "MIL", Destination: "BUH"}
	Today  = time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC)
)

// SummaryOf summarises ObservationsOf, with fares found on each of the last n days and today.
func SummaryOf(days int) verdict.RouteSummary {
	return verdict.Build(ObservationsOf(days), verdict.RouteSummary{}, fare.DayOf(Today), verdict.Options{})
}

// ObservationsOf returns invented fares of a route, found on the given number of days up to Today.
func ObservationsOf(days int) (all []fare.Observation) {
	d := fare.DayOf(Today)
	for i := 0; i <= days; i++ {
		for _, ahead := range []fare.Day{5, 25, 50, 70} {
			found := d - fare.Day(i)
			price := fare.Cents(3000 + 17*i + 100*int(50-min(ahead, 50)))
			all = append(all, fare.Observation{Found: found.Time().Unix() + 3600, Depart: found + ahead, Price: price})
		}
	}
	return all
}

// Requests records the origins and the demand noted for a later refresh.
type Requests struct {
	Origins []fare.City
	Demand  []string // series, with the end of their demand
	Until   time.Time
}

func (w *Requests) NoteDemand(_ context.Context, s fare.Series, until time.Time) error {
	w.Demand = append(w.Demand, s.String()+" "+until.Format(time.DateOnly))
	return nil
}

func (w *Requests) RequestOrigin(_ context.Context, origin fare.City, until time.Time) error {
	w.Origins, w.Until = append(w.Origins, origin), until
	return nil
}

// Unlimited counts nothing and refuses no call.
type Unlimited struct{ limit.Counters }

func (Unlimited) Take(context.Context, store.Key, int64, int64, time.Time) (int64, error) {
	return 1, nil
}

// Get accepts any query in target, even a malformed one.
func Get(t *testing.T, h http.Handler, target string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	path, query, _ := strings.Cut(target, "?")
	r.URL = &url.URL{Path: path, RawQuery: query}
	h.ServeHTTP(w, r)
	return w
}

type Coverage struct{}

func (Coverage) Trends(_ context.Context, origin fare.City) ([]byte, int64, error) {
	at := Today.Add(-time.Hour).Unix()
	var o trends.Origin
	switch origin {
	case "MIL":
		o = o.Merge([]trends.Entry{{Destination: "BUH", Observations: 5, Sample: 2, Newest: at},
			{Destination: "LON", Observations: 9, Sample: 8, Newest: at}})
	case "ROM":
		o = o.Merge([]trends.Entry{{Destination: "LON", Observations: 1, Newest: at}})
	default:
		return nil, 0, store.ErrNotFound
	}
	return o.Encode(), 1, nil
}

func (Coverage) Deals(context.Context, fare.City, fare.Trip) ([]byte, int64, error) {
	return nil, 0, store.ErrNotFound
}

func (Coverage) Covered(_ context.Context, after fare.City, limit int) (some []fare.City, _ error) {
	for _, c := range []fare.City{"MIL", "ROM"} {
		if c > after && len(some) < limit {
			some = append(some, c)
		}
	}
	return some, nil
}

func (Coverage) LastRun(context.Context, store.Run) (time.Time, int64, error) {
	return Today.AddDate(0, 0, -2), 1, nil
}

func (Coverage) Into(_ context.Context, destination, after fare.City, limit int) (some []store.Into, _ error) {
	for n := range 150 {
		origin := fare.City(fmt.Sprintf("A%c%c", 'A'+n/26, 'A'+n%26))
		if origin > after && len(some) < limit && destination == "LON" {
			some = append(some, store.Into{Origin: origin, Coverage: store.Coverage{Observations: n}})
		}
	}
	return some, nil
}

// DeparturesOf returns a departure state with one departure on each of the coming days. The fares
// were found on each of the last 40 days.
func DeparturesOf(days fare.Day) *departure.State {
	d := fare.DayOf(Today)
	var s departure.Learner
	s.Convert(fare.EUR, 1)
	s.Stops = departure.StopsUnknown
	s.Facts = SummaryOf(40).Facts()
	var all []departure.Live
	for day := d - 40; day <= d; day++ {
		for lead := fare.Day(1); lead <= days; lead++ {
			all = append(all, departure.Live{Depart: day + lead,
				Price: fare.Cents(3100 + 700*((day+lead)%5) + 50*(day%3)), Found: day.Time().Unix() + 3600})
		}
	}
	s.Advance(d, departure.Start(d-40), all, new(departure.Statistics))
	return &s.State
}

type Sheets map[fare.Series]*departure.State

func (s Sheets) Sheet(_ context.Context, of fare.Series, _ bool) ([]byte, error) {
	if sheet := s[of]; sheet != nil {
		return sheet.Encode(), nil
	}
	return nil, store.ErrNotFound
}

// Pooled returns statistics in which each number of days to wait has one known outcome.
func (Sheets) Pooled(context.Context, store.Consistency) ([]byte, int64, error) {
	day := fare.DayOf(Today)
	pooled := departure.Start(day)
	var sums departure.Statistics
	for _, h := range departure.Horizons() {
		new(departure.Route).Learn(h, pooled.View(day), []departure.Outcome{{}}, &sums)
		pooled.Learn(h, day, &sums)
	}
	return departure.Cycle{Day: day - 1, Pooled: pooled}.Encode(), 1, nil
}

// Blocks returns the fares of ObservationsOf for 40 days, for every series.
func (Sheets) Blocks(context.Context, fare.Series, store.Consistency) (all []store.StoredBlock, _ error) {
	for _, b := range fare.Blocks(ObservationsOf(40)) {
		all = append(all, store.StoredBlock{Block: b})
	}
	return all, nil
}

type DealsOfMilan struct {
	Coverage
	Has     deals.Origin
	Returns deals.Origin // with 4 to 7 nights away
	Err     error
}

func (d *DealsOfMilan) Deals(_ context.Context, origin fare.City, trip fare.Trip) ([]byte, int64, error) {
	switch {
	case d.Err != nil:
		return nil, 0, d.Err
	case origin != "MIL", trip != fare.OneWay && trip != fare.Return4to7:
		return nil, 0, store.ErrNotFound
	case trip != fare.OneWay:
		return d.Returns.Encode(), 1, nil
	}
	return d.Has.Encode(), 1, nil
}

// Deal returns a deal whose fare was found the given number of hours ago.
func Deal(level verdict.Level, percentile int, depart fare.Day, price, median fare.Cents, stops fare.Stops,
	hours int) deals.Deal {
	d := deals.Deal{Judged: verdict.Judged{
		Fare:    verdict.Live{Depart: depart, Price: price, Found: Today.Unix() - int64(3600*hours), Stops: stops},
		Verdict: verdict.Verdict{Level: verdict.Unjudged, Sample: 3},
	}}
	if level != verdict.Unjudged {
		d.Verdict = verdict.Verdict{Level: level, Reliability: verdict.HighReliability, Percentile: percentile,
			Median: median, Sample: 300}
		d.OwnDay = verdict.Verdict{Level: level, Reliability: verdict.HighReliability, Median: median}
	}
	return d
}

func Entries() []deals.Entry {
	d := fare.DayOf(Today)
	april := fare.DayOf(time.Date(2016, 4, 9, 0, 0, 0, 0, time.UTC))
	one := func(city fare.City, all ...deals.Deal) deals.Entry {
		return deals.Entry{Destination: city, AsOf: d, Observations: 400,
			Any: deals.Fares{Route: all[:1], Months: all[1:]}}
	}
	buh := one("BUH", Deal(verdict.Good, 30, d+20, 3999, 5010, fare.OneStop, 5),
		Deal(verdict.Great, 4, april, 4500, 7000, fare.OneStop, 5))
	buh.NonStop = &deals.Fares{Route: []deals.Deal{Deal(verdict.Expensive, 80, d+21, 8000, 6000, fare.NonStop, 5)}}
	return []deals.Entry{
		buh,
		one("LON", Deal(verdict.Great, 5, d+40, 1999, 4500, fare.StopsUnknown, 80)),
		one("PAR", Deal(verdict.Expensive, 90, d+3, 9900, 4000, fare.StopsUnknown, 2)),
		one("ROM", Deal(verdict.Unjudged, 0, d+9, 2500, 0, fare.StopsUnknown, 2)),
		one("MAD", Deal(verdict.Good, 12, d+9, 2500, 3100, fare.StopsUnknown, 2)),
	}
}

type Fares struct {
	nothing
	Summaries
	Departures
	*Requests
	rates
	Routes
}

type Departures interface {
	Sheet(ctx context.Context, s fare.Series, nonStop bool) ([]byte, error)
	Pooled(ctx context.Context, read store.Consistency) ([]byte, int64, error)
	Blocks(ctx context.Context, s fare.Series, read store.Consistency) ([]store.StoredBlock, error)
}

type Routes interface {
	Trends(ctx context.Context, origin fare.City) ([]byte, int64, error)
	Deals(ctx context.Context, origin fare.City, trip fare.Trip) ([]byte, int64, error)
	Covered(ctx context.Context, after fare.City, limit int) ([]fare.City, error)
	LastRun(ctx context.Context, r store.Run) (time.Time, int64, error)
	Into(ctx context.Context, destination, after fare.City, limit int) ([]store.Into, error)
}

// nothing panics if a method is called that no fake implements.
type nothing struct{ answer.Fares }

func Noon() time.Time { return Today }

// rates has 1.25 dollars, or 5 lei, for a euro.
type rates struct{}

func (rates) Rates(context.Context) (fare.Rates, error) {
	return fare.Rates{Date: fare.DayOf(Today) - 1, PerEuro: map[string]float64{"USD": 1.25, "RON": 5, "HRK": 7.5345},
		Ended: map[string]fare.Day{"HRK": 19357, "RUB": 19051}}, nil
}
