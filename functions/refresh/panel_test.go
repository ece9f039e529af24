package refresh_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict"
)

// event is that somebody is to be notified of a route on a day.
type event struct {
	route     string
	threshold fare.Cents // 0: by the verdict
	day       fare.Day
}

// trigger says when an alert is due from prices and levels alone: when its
// condition is met, and again only after a week that does not meet it.
type trigger struct {
	threshold fare.Cents
	fired     bool
}

func (w *trigger) week(price fare.Cents, level string) (due bool) {
	met := price <= w.threshold
	if w.threshold == 0 {
		if level == verdict.Insufficient {
			return false
		}
		met = level == verdict.Ottimo || level == verdict.Buono
	}
	if !met {
		w.fired = false
		return false
	}
	if w.fired || level == verdict.Insufficient {
		return false
	}
	w.fired = true
	return true
}

// lowest is the cheapest fare of a route on a day, found by looking at them all:
// of each departure that is not over the newest price of the last week.
func lowest(all []fare.Observation, day fare.Day) fare.Cents {
	newest := map[fare.Day]fare.Observation{}
	for _, o := range all {
		if o.FoundDay() > day || o.FoundDay() < day-7 || o.Depart < day {
			continue
		}
		if had, ok := newest[o.Depart]; !ok || o.Found > had.Found || o.Found == had.Found && o.Price < had.Price {
			newest[o.Depart] = o
		}
	}
	low := fare.Cents(0)
	for _, o := range newest {
		if low == 0 || o.Price < low {
			low = o.Price
		}
	}
	return low
}

// TestRecordedFalls replays half a year of recorded fares week by week, with
// subscribers to every route at several thresholds and by the verdict, and holds
// the mails against the falls that are in the panel.
func TestRecordedFalls(t *testing.T) {
	t.Parallel()
	data := testenv.Data(t)
	panel, err := csvfile.Open(filepath.Join(data, "fares", "eu_wizzair_weekly.csv.gz"), upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().On}, "")
	if err != nil {
		t.Fatal(err)
	}
	origins, err := panel.Origins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	history := map[string][]fare.Observation{}
	days := map[fare.Day]bool{}
	for _, origin := range origins {
		answer, err := panel.Fares(t.Context(), origin, time.Time{}, time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range answer.Fares {
			history[f.Route.String()] = append(history[f.Route.String()], f.Observation)
			days[f.FoundDay()] = true
		}
	}
	weeks := slices.Sorted(maps.Keys(days))
	rates := ecb.Table().On(weeks[0]) // one set, so that only fares move

	// What happened, from the panel.
	want := map[event]fare.Cents{}
	thresholds := map[string][]fare.Cents{}
	for route, all := range history {
		slices.SortFunc(all, fare.Observation.Compare)
		var lows []fare.Cents
		for _, day := range weeks {
			low, ok := rates.Euro(float64(lowest(all, day))/100, all[0].Currency.String())
			if !ok {
				t.Fatalf("%s is quoted in %s, of which there is no rate", route, all[0].Currency)
			}
			lows = append(lows, low)
		}
		sorted := slices.Sorted(slices.Values(lows))
		of := []fare.Cents{0}
		for _, share := range []int{5, 10, 20, 30, 40, 50, 60, 70, 80, 90} {
			of = append(of, max(1, sorted[len(sorted)*share/100]))
		}
		of = append(of, 1, fare.MaxPrice)
		slices.Sort(of)
		thresholds[route] = slices.Compact(of)
		for _, threshold := range thresholds[route] {
			w := trigger{threshold: threshold}
			for i, day := range weeks {
				until, _ := slices.BinarySearchFunc(all, day+1, func(o fare.Observation, d fare.Day) int { return int(o.FoundDay() - d) })
				a, ok := verdict.Judge(verdict.Build(all[:until], verdict.RouteSummary{}, day, verdict.Options{Rates: rates}), day.Time())
				if !ok {
					continue
				}
				if w.week(lows[i], a.Verdetto.Livello) {
					want[event{route, threshold, day}] = lows[i]
				}
			}
		}
	}

	// What is sent.
	h := newFixture(t)
	h.Set(weeks[0].Time().Add(12 * time.Hour))
	h.Rate = 1000
	subscribers := 0
	for name, all := range thresholds {
		for _, threshold := range all {
			subscribers++
			h.AddAlerts(name, threshold, fmt.Sprintf("%s.%d", strings.ToLower(name), threshold))
		}
	}
	sent := 0
	for _, day := range weeks {
		h.Set(day.Time().Add(12 * time.Hour))
		r := refresh.Refresher{Source: panel, Fares: store.Fares{Table: h.Table}, Now: h.Now, Workers: 2, Rates: rates}
		report, err := r.Run(t.Context())
		if err != nil || report.Failed > 0 {
			t.Fatalf("%+v %v", report, err)
		}
		done, err := h.Sender().Work(t.Context())
		if err != nil || done.Left {
			t.Fatalf("%+v %v", done, err)
		}
		sent += done.Sent
	}
	mails, err := maildir.Read(h.Carrier.Folder)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	sentOf := map[event]bool{}
	for _, m := range mails {
		name, amount, _ := strings.Cut(strings.TrimSuffix(m.To, "@example.com"), ".")
		var threshold fare.Cents
		if _, err := fmt.Sscan(amount, &threshold); err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse("20060102", m.Message.ID[:8])
		if err != nil {
			t.Fatal(err)
		}
		e := event{strings.ToUpper(name), threshold, fare.DayOf(at)}
		sentOf[e] = true
		price, ok := want[e]
		if !ok {
			wrong++
			t.Errorf("a mail of what did not happen: %+v, %s", e, m.Subject)
		} else if !strings.Contains(m.Subject, fmt.Sprintf(" %d,%02d\u00a0€, ", price/100, price%100)) {
			wrong++
			t.Errorf("%+v: the price is %d, the mail says %s", e, price, m.Subject)
		}
	}
	missed, byVerdict := 0, 0
	for e := range want {
		if e.threshold == 0 {
			byVerdict++
		}
		if !sentOf[e] {
			missed++
			t.Errorf("missed: %+v at %d", e, want[e])
		}
	}
	t.Logf("%d routes, %d weeks, %d alerts: %d falls (%d by the verdict), %d mails sent, %d in the folder; %d false, %d missed",
		len(history), len(weeks), subscribers, len(want), byVerdict, sent, len(mails), wrong, missed)
	if sent != len(mails) || len(want) < 50 || byVerdict == 0 {
		t.Errorf("%d sent, %d in the folder, %d falls", sent, len(mails), len(want))
	}
}
