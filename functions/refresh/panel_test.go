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

type event struct {
	route     string
	threshold fare.Cents // 0: by the verdict
	day       fare.Day
}

// trigger decides independently of the service when an alert is due: when its condition is met, and
// again only after a week in which it was not.
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

// lowest returns the cheapest fare of a route on a day, by the newest price of the last week for
// each later departure.
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

func recordedHistory(t *testing.T) (panel *csvfile.Panel, history map[string][]fare.Observation, weeks []fare.Day) {
	t.Helper()
	file := filepath.Join(testenv.Data(t), "fares", "eu_wizzair_weekly.csv.gz")
	panel, err := csvfile.Open(file, upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().RatesOn}, "")
	if err != nil {
		t.Fatal(err)
	}
	origins, err := panel.Origins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	history = map[string][]fare.Observation{}
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
	return panel, history, slices.Sorted(maps.Keys(days))
}

func falls(t *testing.T, route string, all []fare.Observation, weeks []fare.Day,
	rates fare.Rates) (thresholds []fare.Cents, met map[event]fare.Cents) {
	t.Helper()
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
	thresholds = []fare.Cents{0}
	for _, share := range []int{5, 10, 20, 30, 40, 50, 60, 70, 80, 90} {
		thresholds = append(thresholds, max(1, sorted[len(sorted)*share/100]))
	}
	thresholds = append(thresholds, 1, fare.MaxPrice)
	slices.Sort(thresholds)
	thresholds = slices.Compact(thresholds)
	met = map[event]fare.Cents{}
	for _, threshold := range thresholds {
		w := trigger{threshold: threshold}
		for i, day := range weeks {
			until, _ := slices.BinarySearchFunc(all, day+1,
				func(o fare.Observation, d fare.Day) int { return int(o.FoundDay() - d) })
			summary := verdict.Build(all[:until], verdict.RouteSummary{}, day, verdict.Options{Rates: rates})
			if a, ok := verdict.Judge(summary, day.Time()); ok && w.week(lows[i], a.Verdetto.Livello) {
				met[event{route, threshold, day}] = lows[i]
			}
		}
	}
	return thresholds, met
}

func eventOf(t *testing.T, m maildir.Mail) event {
	t.Helper()
	name, amount, _ := strings.Cut(strings.TrimSuffix(m.To, "@example.com"), ".")
	var threshold fare.Cents
	if _, err := fmt.Sscan(amount, &threshold); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse("20060102", m.Message.ID[:8])
	if err != nil {
		t.Fatal(err)
	}
	return event{strings.ToUpper(name), threshold, fare.DayOf(at)}
}

// Every route has subscribers with several thresholds and with alerts on the verdict. The mails
// must match the falls of prices in the recorded fares.
func TestRecordedFalls(t *testing.T) {
	t.Parallel()
	panel, history, weeks := recordedHistory(t)
	rates := ecb.Table().RatesOn(weeks[0]) // fixed, so that only fares move
	h := newFixture(t)
	h.Set(weeks[0].Time().Add(12 * time.Hour))
	h.Rate = 1000
	want := map[event]fare.Cents{}
	subscribers := 0
	for route, all := range history {
		thresholds, met := falls(t, route, all, weeks, rates)
		maps.Copy(want, met)
		for _, threshold := range thresholds {
			subscribers++
			h.AddAlerts(route, threshold, fmt.Sprintf("%s.%d", strings.ToLower(route), threshold))
		}
	}
	sent := 0
	for _, day := range weeks {
		h.Set(day.Time().Add(12 * time.Hour))
		r := refresh.Refresher{Source: panel, Fares: store.Fares{Table: h.Table}, Now: h.Now, Workers: 2, Rates: rates}
		mustRun(t, r)
		done, err := h.Sender().Work(t.Context())
		if err != nil || done.More {
			t.Fatalf("%+v %v", done, err)
		}
		sent += done.Sent
	}
	mails, err := maildir.Read(h.Carrier.Folder)
	if err != nil {
		t.Fatal(err)
	}
	sentOf := map[event]bool{}
	for _, m := range mails {
		e := eventOf(t, m)
		sentOf[e] = true
		price, ok := want[e]
		if !ok {
			t.Errorf("a mail of what did not happen: %+v, %s", e, m.Subject)
		} else if !strings.Contains(m.Subject, fmt.Sprintf(" %d,%02d\u00a0€, ", price/100, price%100)) {
			t.Errorf("%+v: the price is %d, the mail says %s", e, price, m.Subject)
		}
	}
	byVerdict := 0
	for e := range want {
		if e.threshold == 0 {
			byVerdict++
		}
		if !sentOf[e] {
			t.Errorf("missed: %+v at %d", e, want[e])
		}
	}
	t.Logf("%d routes, %d weeks, %d alerts: %d falls (%d by the verdict), %d mails sent, %d in the folder",
		len(history), len(weeks), subscribers, len(want), byVerdict, sent, len(mails))
	if sent != len(mails) || len(want) < 50 || byVerdict == 0 {
		t.Errorf("%d sent, %d in the folder, %d falls", sent, len(mails), len(want))
	}
}
