package httpapi_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

type over struct{}

func (over) Take(_ context.Context, _ store.Key, _, limit int64, _ time.Time) (int64, error) {
	return limit + 1, store.ErrLimit
}

func (over) Query(context.Context, store.Range) ([]store.Item, error) { return nil, nil }

func TestUsedUp(t *testing.T) {
	type ways struct {
		Usage string
		Paid  *httpapi.Paid
	}
	verdict := &httpapi.Paid{Path: "/x402/v1/analisi", Price: "0.01", Currency: "USDC", Protocol: "x402"}
	for _, c := range []struct {
		name, route, target string
		sold                bool
		want                ways
		words               string
	}{
		{"where answers are sold", "analisi", "/v1/analisi", true, ways{"/v1/consumo", verdict},
			"You have used up the free calls of today (UTC). Wait for the seconds in Retry-After, or send a Pro key in " +
				"X-Api-Key. GET /v1/consumo shows what is left of each quota. GET /x402/v1/analisi sells the " +
				"same answer for 0.01 USDC by x402, at once."},
		{"a calendar", "calendario", "/v1/calendario", true,
			ways{"/v1/consumo", &httpapi.Paid{Path: "/x402/v1/calendario", Price: "0.02", Currency: "USDC",
				Protocol: "x402"}}, ""},
		{"where none are", "analisi", "/v1/analisi", false, ways{Usage: "/v1/consumo"},
			"You have used up the free calls of today (UTC). Wait for the seconds in Retry-After, or send a Pro key in " +
				"X-Api-Key. GET /v1/consumo shows what is left of each quota."},
		{"one that is not sold", "rotte", "/v1/rotte", true, ways{Usage: "/v1/consumo"}, ""},
		{"the question what is left", "consumo", "/v1/consumo", true, ways{},
			"You have called this endpoint too often. Wait for the seconds in Retry-After."},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := func() time.Time { return time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC) }
			api := httpapi.New(httpapi.Config{Now: now, Log: slog.New(slog.DiscardHandler),
				Limiter: limit.New(over{}, now), PaidCalls: c.sold})
			httpapi.JSON(api, c.route, httpapi.JSONDoc{}, nil,
				func(context.Context, *struct{}) (*struct{}, error) { return nil, nil })
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequest("GET", c.target, nil))
			var got struct {
				ways
				Detail string
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 429 {
				t.Fatalf("%d %s %v", w.Code, w.Body, err)
			}
			if diff := cmp.Diff(c.want, got.ways, cmp.AllowUnexported(ways{})); diff != "" || c.words != "" &&
				got.Detail != c.words {
				t.Errorf("%q %s", got.Detail, diff)
			}
		})
	}
}
