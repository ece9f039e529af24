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
	"strconv"
	"testing"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// lows returns the lowest fare of each day by route.
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

// summary returns the summary of a route on a day from the lows of the days that are kept.
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

// gaps keeps days in runs, and leaves out 10 to 40 days between them.
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

// TestIntervals leaves out days of a daily panel. The interval of the days that remain must contain
// the percentile among all days since the first of them, in at least 90 % of the verdicts with
// reliability alta, on each panel and with each way of leaving out days.
func TestIntervals(t *testing.T) {
	every := func(n fare.Day) func(uint64) func(fare.Day) bool {
		return func(uint64) func(fare.Day) bool { return func(day fare.Day) bool { return day%n == 0 } }
	}
	ways := map[string]func(uint64) func(fare.Day) bool{"one day in two": every(2), "one day in three": every(3),
		"one day in seven": every(7), "gaps of 10 to 40 days": gaps}
	for _, file := range []string{"travelpayouts_daily_2025_2026.csv.gz", "eu_wizzair_2015_2016_full.csv.gz"} {
		held, asked := map[string]int{}, map[string]int{}
		all := lows(t, file)
		for i, route := range slices.Sorted(maps.Keys(all)) {
			days := all[route]
			first := slices.Min(slices.Collect(maps.Keys(days)))
			last := slices.Max(slices.Collect(maps.Keys(days)))
			for way, of := range ways {
				kept := of(uint64(i))
				for asOf := first + 60; asOf <= last; asOf += 17 {
					price, ok := days[asOf]
					part, judged := verdict.PercentileAt(summary(days, asOf, kept), price)
					if !ok || !judged {
						continue
					}
					truth, _ := verdict.PercentileAt(summary(days, asOf, func(d fare.Day) bool { return d >= part.First }), price)
					v := part.Verdict(0)
					share := 100 * float64(truth.Below) / float64(truth.Size)
					cell := fmt.Sprintf("%s, %s", v.Affidabilita, way)
					asked[cell]++
					if float64(v.Intervallo.Da) <= share && share <= float64(v.Intervallo.A) {
						held[cell]++
					}
				}
			}
		}
		for _, cell := range slices.Sorted(maps.Keys(asked)) {
			share := 100 * float64(held[cell]) / float64(asked[cell])
			t.Logf("%s: %s: %.1f %% of %d", file, cell, share, asked[cell])
			if cell[:4] == verdict.Alta && asked[cell] >= 30 && share < 90 {
				t.Errorf("%s: %s: the interval held in %.1f %% of %d", file, cell, share, asked[cell])
			}
		}
	}
}
