package onemachine

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/sample"
)

// few returns fares up to the true time, from which the service's clock may differ.
type few struct {
	*sample.Source
	from time.Time
	now  *time.Time
}

func (few) Origins(context.Context) ([]fare.City, error) { return []fare.City{"VRN"}, nil }

func (f few) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	if until.After(*f.now) {
		until = *f.now
	}
	if since.Before(f.from) {
		since = f.from
	}
	if since.After(until) {
		return upstream.Answer{}, nil
	}
	return f.Source.Fares(ctx, origin, since, until)
}

func (f few) Departures(ctx context.Context, q upstream.Question, until time.Time) (upstream.Answer, error) {
	if until.After(*f.now) {
		until = *f.now
	}
	return f.Source.Departures(ctx, q, until)
}

func TestClockThatWasWrong(t *testing.T) {
	t.Parallel()
	first := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	later := first.Add(6 * time.Hour)
	ask := func(wrong ...time.Time) (answers map[string]string) {
		now, truth := first, first
		clock := func() time.Time { return now }
		table, err := boltstore.Open(filepath.Join(t.TempDir(), "kept.db"), clock, boltstore.Scratch)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		o := Options{Table: table, Source: few{sample.New(), first.Add(-sample.Memory), &truth}, Now: clock, Log: slog.New(slog.DiscardHandler), Pepper: []byte(strings.Repeat("p", 32)), BaseURL: "https://verdetto.example"}
		for _, at := range append(append([]time.Time{first}, wrong...), later) {
			if at.Equal(later) && len(wrong) > 0 && wrong[0].After(later) {
				now = later
				if found := NewHealth(table, clock).Look(t.Context()); !strings.Contains(found.Reason, "in the future") {
					t.Errorf("before the repair: %+v", found)
				}
			}
			now = at
			if at.Equal(later) {
				truth = later
			}
			report, err := o.Refresh(t.Context(), nil)
			if err != nil || report.Failed > 0 {
				t.Fatal(err, report.Faults)
			}
			if deep, err := o.Deepen(t.Context(), nil); err != nil || deep.Failed > 0 {
				t.Fatal(err, deep.Faults)
			}
		}
		if found := NewHealth(table, clock).Look(t.Context()); found.Reason != "" {
			t.Errorf("after the repair: %+v", found)
		}
		service, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer service.Close()
		answers = map[string]string{}
		n := 0
		get := func(target string) {
			r := httptest.NewRequest(http.MethodGet, target, nil)
			r.RemoteAddr = fmt.Sprintf("192.0.2.%d:1234", n%200) // 200 addresses in turn, so that none exceeds its quota
			n++
			w := httptest.NewRecorder()
			service.API.ServeHTTP(w, r)
			body, _ := io.ReadAll(w.Body)
			answers[target] = fmt.Sprintf("%d %s", w.Code, body)
		}
		origins := map[string]bool{}
		for i, route := range sample.New().Routes() {
			if route.Origin != "VRN" {
				continue
			}
			question := fmt.Sprintf("origine=%s&destinazione=%s", route.Origin, route.Destination)
			get("/v1/analisi?" + question)
			if i%10 == 0 {
				get("/v1/calendario?" + question)
				get("/v1/storico?" + question)
			}
			if !origins[string(route.Origin)] {
				origins[string(route.Origin)] = true
				get("/v1/occasioni?origine=" + string(route.Origin))
				get("/v1/price-trends?origin=" + string(route.Origin) + "&currency=eur")
			}
		}
		get("/v1/rotte")
		return answers
	}
	untouched := ask()
	for name, wrong := range map[string]time.Time{"a year ahead": first.AddDate(1, 0, 0), "three years behind": first.AddDate(-3, 0, 0)} {
		differ := 0
		for target, answer := range ask(wrong) {
			if diff := cmp.Diff(untouched[target], answer); diff != "" {
				if differ++; differ <= 3 {
					t.Errorf("%s: %s:\n%s", name, target, diff)
				}
			}
		}
		t.Logf("%s: %d of %d answers differ", name, differ, len(untouched))
	}
}
