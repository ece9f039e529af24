// Package stored checks that a store still works after an upgrade that changes what is computed
// from fares.
package stored

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/functions/refresh"
	"verdetto/shared/apikey"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

var first = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// year is a source with three fares to each destination for each day from 1 March 2026 on.
type year struct{}

func (year) Name() string { return "csv" }

func (year) Origins(context.Context) ([]fare.City, error) { return []fare.City{"MIL"}, nil }

func (year) Fares(_ context.Context, origin fare.City, since, until time.Time) (a upstream.Answer, err error) {
	for found := first; !found.After(until); found = found.AddDate(0, 0, 1) {
		if !found.After(since) {
			continue
		}
		day := fare.DayOf(found)
		for i, to := range []fare.City{"BUH", "LON"} {
			for n := range fare.Day(3) {
				price := fare.Cents(3000 + 1000*i + int(day*day+7*n)%41*50)
				a.Fares = append(a.Fares, fare.Fare{Route: fare.Route{Origin: origin, Destination: to},
					Observation: fare.Observation{Found: found.Unix(), Depart: day + 20 + 30*n - day%5,
						Price: price, Currency: fare.EUR, Stops: fare.NonStop}})
			}
		}
	}
	return a, nil
}

type silent struct{ year }

func (silent) Fares(context.Context, fare.City, time.Time, time.Time) (upstream.Answer, error) {
	return upstream.Answer{}, upstream.ErrUnavailable
}

type service struct {
	*testing.T
	table *boltstore.Store
	now   time.Time
	key   string
	alert store.Alert
	*onemachine.Service
	options onemachine.Options
}

func open(t *testing.T) *service {
	s := &service{T: t, now: first.AddDate(1, 0, 0)}
	now := func() time.Time { return s.now }
	var err error
	s.table, err = boltstore.Open(filepath.Join(t.TempDir(), "verdetto.db"), now, boltstore.Scratch)
	storetest.Must(t, err)
	t.Cleanup(func() { storetest.Must(t, s.table.Close()) })
	s.options = onemachine.Options{Table: s.table, Source: year{}, Now: now, Log: slog.New(slog.DiscardHandler),
		Pepper: []byte(strings.Repeat("pepper ", 6))}
	return s
}

func (s *service) sell() {
	var err error
	s.key, err = store.Customers{Table: s.table}.Issue(s.Context(), rand.Reader,
		apikey.CustomerIDOf(s.options.Pepper, "ada@example.com"), s.now,
		func(c *store.Customer) error { c.Crypto = s.now.AddDate(0, 1, 0); return nil })
	storetest.Must(s.T, err)
	alerts := store.Alerts{Table: s.table}
	storetest.Must(s.T, alerts.AddPending(s.Context(), "1", store.Alert{Kind: store.Threshold, Threshold: 9000,
		Subscriber: "ada", Email: "ada@example.com", Route: fare.Route{Origin: "MIL", Destination: "BUH"},
		Since: fare.DayOf(s.now)}, s.now.Add(time.Hour)))
	s.alert, err = alerts.Confirm(s.Context(), "1")
	storetest.Must(s.T, err)
}

// refresh also restarts the service, as an upgrade does.
func (s *service) refresh() refresh.Report {
	report, err := s.options.Refresh(s.Context(), nil)
	storetest.Must(s.T, err)
	s.start()
	return report
}

func (s *service) start() {
	var err error
	s.Service, err = onemachine.New(s.options)
	storetest.Must(s.T, err)
	s.Cleanup(s.Close)
}

func (s *service) ask(path string) (int, string) {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("X-API-Key", s.key)
	w := httptest.NewRecorder()
	s.API.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

var questions = []string{
	"/v1/analisi?origine=Milano&destinazione=Bucarest",
	"/v1/analisi?origine=Milano&destinazione=Bucarest&mese=2027-04",
	"/v1/calendario?origine=Milano&destinazione=Bucarest",
	"/v1/occasioni?origine=Milano",
	"/v1/price-trends?origine=Milano&destinazione=Bucarest",
}

var computed = []string{"/SHEET", "/DEPARTURES#any", "/DEPARTURES#learning", "LEFT#", "/POOLED", "/TRENDS", "/DEALS"}

// ancient is a low that no stored observation explains.
var ancient = verdict.Low{Day: fare.DayOf(first) - 500, Price: 1234}

func (s *service) alter() {
	altered := map[string]int{}
	var ops []store.Op
	storetest.Must(s.T, s.table.All(s.Context(), func(i store.Item) error {
		for _, name := range computed {
			if !strings.Contains(i.Partition+"/"+i.Sort, name) {
				continue
			}
			altered[name]++
			at := 0
			if i.IsSummary() { // in a summary, the byte with the version comes after the lows
				summary, err := store.Summaries.Of(i).Value()
				storetest.Must(s.T, err)
				summary.Lows = append(summary.Lows, ancient)
				slices.SortFunc(summary.Lows, func(a, b verdict.Low) int { return int(a.Price - b.Price) })
				i.Data = summary.Encode()
				summary.View = verdict.View{Lows: summary.Lows}
				summary.NonStop = &verdict.View{Lows: summary.NonStop.Lows}
				for at = 0; i.Data[at] == summary.Encode()[at]; at++ {
				}
				at--
			}
			i.Data = slices.Clone(i.Data)
			i.Data[at] += 100
			ops = append(ops, store.Op{Mode: store.Replace, Item: i})
		}
		return nil
	}))
	storetest.Must(s.T, s.table.Write(s.Context(), ops...))
	if len(altered) != len(computed) {
		s.Fatalf("%v: an item is missing", altered)
	}
}

func TestUpgrade(t *testing.T) {
	for name, source := range map[string]upstream.Source{"the source answers": year{}, "the source is silent": silent{}} {
		t.Run(name, func(t *testing.T) { testUpgrade(t, source) })
	}
}

func testUpgrade(t *testing.T, source upstream.Source) {
	other := open(t)
	other.refresh()
	other.now = other.now.AddDate(0, 0, 1)
	other.refresh() // the second refresh adds the contributions of a day
	if other.options.Source = source; source == (year{}) {
		other.now = other.now.AddDate(0, 0, 1)
	}
	other.sell()
	other.alter()
	other.start()
	for _, path := range questions {
		if code, body := other.ask(path); code != http.StatusNotFound {
			t.Errorf("%s before a refresh: %d %s", path, code, body)
		}
	}
	for _, path := range []string{"/", "/v1/consumo", "/v1/pagella", "/v1/rotte", "/sitemap-MIL.xml"} {
		if code, body := other.ask(path); code >= http.StatusInternalServerError || path == "/v1/consumo" && code != http.StatusOK {
			t.Errorf("%s before a refresh: %d %s", path, code, body)
		}
	}
	if now, err := (store.Alerts{Table: other.table}).One(t.Context(), other.alert.Ref(), "ada"); err != nil ||
		!cmp.Equal(now, other.alert, cmpopts.IgnoreUnexported(store.Alert{})) {
		t.Errorf("the alert is %+v, was %+v: %v", now, other.alert, err)
	}
	report := other.refresh()
	if source == (year{}) && (report.Failed > 0 || report.Notifications != 1) || source == (silent{}) && report.Failed != 1 {
		t.Errorf("%+v", report)
	}
	s, err := store.Fares{Table: other.table}.Summary(t.Context(), fare.Series{Route: other.alert.Route})
	storetest.Must(t, err)
	if !slices.Contains(s.Lows, ancient) {
		t.Errorf("the low of %s is lost", ancient.Day)
	}
	fresh := open(t)
	fresh.now = other.now
	fresh.sell()
	fresh.refresh()
	for _, path := range questions {
		_, want := fresh.ask(path)
		if code, got := other.ask(path); code != http.StatusOK || got != want {
			t.Errorf("%s: %d: %s", path, code, cmp.Diff(want, got))
		}
	}
}
