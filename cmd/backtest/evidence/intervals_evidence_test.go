package evidence

import (
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/backtest/departures"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

func lows(t *testing.T, file string) map[string]map[fare.Day]fare.Cents {
	t.Helper()
	f, err := os.Open(filepath.Join(testenv.Data(t), "fares", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	all := map[string]map[fare.Day]fare.Cents{}
	for _, row := range rows[1:] {
		price, err := strconv.ParseFloat(row[column["price"]], 64)
		day, fault := fare.ParseDay(row[column["observed_date"]])
		if err != nil || fault != nil || price <= 0 || row[column["depart_date"]] < row[column["observed_date"]] {
			continue
		}
		route, cents := row[column["origin"]]+row[column["destination"]], fare.Cents(math.Round(100*price))
		if all[route] == nil {
			all[route] = map[fare.Day]fare.Cents{}
		}
		if low, ok := all[route][day]; !ok || cents < low {
			all[route][day] = cents
		}
	}
	return all
}

func summary(days map[fare.Day]fare.Cents, asOf fare.Day, kept func(fare.Day) bool) verdict.RouteSummary {
	s := verdict.RouteSummary{AsOf: asOf, PerEuro: 1}
	for day, price := range days {
		if day < asOf && day > asOf-verdict.HistoryDays && kept(day) {
			s.Lows = append(s.Lows, verdict.Low{Day: day, Price: price})
		}
	}
	slices.SortFunc(s.Lows, func(a, b verdict.Low) int {
		if a.Price != b.Price {
			return int(a.Price - b.Price)
		}
		return int(a.Day - b.Day)
	})
	return s
}

func gaps(seed uint64) func(fare.Day) bool {
	rng, kept := rand.New(rand.NewPCG(seed, 17)), map[fare.Day]bool{}
	for day := fare.Day(16000); day < 22000; day += fare.Day(10 + rng.IntN(31)) {
		for range 10 + rng.IntN(31) {
			kept[day] = true
			day++
		}
	}
	return func(day fare.Day) bool { return kept[day] }
}

var ways = map[string]func(route uint64) func(fare.Day) bool{"one day in two": every(2), "one day in three": every(3),
	"one day in seven": every(7), "gaps of 10 to 40 days": gaps}

func every(n fare.Day) func(uint64) func(fare.Day) bool {
	return func(uint64) func(fare.Day) bool { return func(day fare.Day) bool { return day%n == 0 } }
}

type coverage struct{ held, asked map[string]int }

func (c coverage) add(v verdict.Verdict, truth float64, kind string) {
	cell := fmt.Sprintf("%s, %s", v.Reliability, kind)
	c.asked[cell]++
	if float64(v.Interval.From) <= truth && truth <= float64(v.Interval.To) {
		c.held[cell]++
	}
}

func (c coverage) check(t *testing.T) {
	for _, cell := range slices.Sorted(maps.Keys(c.asked)) {
		share := 100 * float64(c.held[cell]) / float64(c.asked[cell])
		t.Logf("%s: %.1f %% of %d", cell, share, c.asked[cell])
		if strings.HasPrefix(cell, string(verdict.HighReliability)) && c.asked[cell] >= 30 && share < 90 {
			t.Errorf("%s: the interval held in %.1f %% of %d", cell, share, c.asked[cell])
		}
	}
}

// The truth is the percentile among all days since the first day of the thinned sample.
func TestEvidenceIntervals(t *testing.T) {
	for _, file := range []string{"travelpayouts_daily_2025_2026", "eu_wizzair_2015_2016_full"} {
		t.Run(file, func(t *testing.T) {
			c := coverage{map[string]int{}, map[string]int{}}
			all := lows(t, file+".csv.gz")
			for i, route := range slices.Sorted(maps.Keys(all)) {
				days := all[route]
				first := slices.Min(slices.Collect(maps.Keys(days)))
				last := slices.Max(slices.Collect(maps.Keys(days)))
				for way, choose := range ways {
					kept := choose(uint64(i))
					for asOf := first + 60; asOf <= last; asOf += 17 {
						price, ok := days[asOf]
						part, judged := verdict.PercentileAt(summary(days, asOf, kept), price)
						if !ok || !judged {
							continue
						}
						truth, _ := verdict.PercentileAt(summary(days, asOf, func(d fare.Day) bool { return d >= part.First }), price)
						c.add(part.Verdict(0), 100*float64(truth.Below)/float64(truth.Size), way)
					}
				}
			}
			c.check(t)
		})
	}
}

type service struct {
	refreshes []func(fare.Day) bool
	states    []departure.Learner
	found     [][]departure.Live
	pooled    *departure.Pooled
}

func newService(routes int, refreshes func(route uint64) func(fare.Day) bool) *service {
	s := &service{states: make([]departure.Learner, routes), found: make([][]departure.Live, routes)}
	for i := range s.states {
		s.refreshes = append(s.refreshes, refreshes(uint64(i)))
		s.states[i].PerEuro, s.states[i].Facts = 1, verdict.RouteSummary{}.Facts()
	}
	return s
}

func (s *service) refresh(day fare.Day, rows []departures.Row) {
	var sums departure.Statistics
	onSale := map[int32][]departure.Quote{}
	for _, r := range rows {
		if s.refreshes[r.Route](day) {
			onSale[r.Route] = append(onSale[r.Route], departure.Quote{Lead: int(r.Lead), Price: r.Price})
			s.found[r.Route] = append(s.found[r.Route], departure.Live{Depart: day + fare.Day(r.Lead), Price: r.Price, Found: day.Time().Unix()})
		}
	}
	if len(onSale) == 0 {
		return
	}
	if s.pooled == nil {
		s.pooled = departure.Start(day)
		s.pooled.StartCurve(day, slices.Collect(maps.Values(onSale)))
	}
	for route := range onSale {
		s.states[route].Advance(day, s.pooled, s.found[route], &sums)
		s.found[route] = slices.DeleteFunc(s.found[route], func(l departure.Live) bool { return l.FoundDay() < day-departure.LiveDays })
	}
	s.pooled.Fold(day-1, &sums)
}

// The truth is the percentile of the same fare for a service that knows every day.
func TestEvidenceIntervals_Departures(t *testing.T) {
	for _, file := range []string{"travelpayouts_daily_2025_2026", "eu_wizzair_2015_2016_full", "google2026"} {
		t.Run(file, func(t *testing.T) {
			c, panel := coverage{map[string]int{}, map[string]int{}}, recorded(t, file)
			full, thinned := newService(len(panel.Routes), every(1)), map[string]*service{}
			for way, kept := range ways {
				thinned[way] = newService(len(panel.Routes), kept)
			}
			first, last := panel.Rows[0].Day, panel.Rows[len(panel.Rows)-1].Day
			for rows := panel.Rows; len(rows) > 0; {
				day := rows[0].Day
				n := sort.Search(len(rows), func(i int) bool { return rows[i].Day > day })
				full.refresh(day, rows[:n])
				for way, s := range thinned {
					s.refresh(day, rows[:n])
					for _, r := range rows[:n] {
						if s.refreshes[r.Route](day) && (r.Departure+7*int32(day))%23 == 0 && day >= min(first+30, (first+last)/2) {
							month := departure.Month
							judge(t, c, way, s, full, r, verdict.When{Date: day + fare.Day(r.Lead)})
							judge(t, c, "month, "+way, s, full, r, verdict.When{Date: day + fare.Day(r.Lead), Span: &month})
						}
					}
				}
				rows = rows[n:]
			}
			c.check(t)
		})
	}
}

func judge(t *testing.T, c coverage, kind string, s, full *service, r departures.Row, w verdict.When) {
	now := r.Day.Time().Add(12 * time.Hour)
	part, ok, err := verdict.JudgeDeparture(&s.states[r.Route].State, s.pooled, w, now)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	whole, ok, err := verdict.JudgeDeparturePrice(&full.states[r.Route].State, full.pooled, w, part.Fare.Price, fare.Money{}, now)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if part.Verdict.Judged() && whole.Verdict.Judged() {
		c.add(part.Verdict, float64(whole.Verdict.Percentile), kind)
	}
}
