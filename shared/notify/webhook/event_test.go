package webhook_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

func TestEventOfATrip(t *testing.T) {
	trip := store.Trip{From: 20514, To: 20544, Month: true, Nights: fare.Return4to7, Nonstop: true}
	for _, c := range []struct {
		name   string
		alert  store.Alert
		change func(*notify.Message)
		data   map[string]any
		fare   map[string]any
	}{
		{"a drop of a month", store.Alert{Trip: trip, Kind: store.Drop, Percent: 10}, func(m *notify.Message) {
			f := &m.Fares[0]
			f.Trip, f.Return, f.Before, f.LastDay, f.Page = trip, 20535, 4500, 20493, "https://verdetto.example/page"
			f.Judgement = &verdict.Judgement{Quartiles: &verdict.Quartiles{Q1: 3500, Q3: 5000}, Forecasts: []verdict.Forecast{
				{Fall: verdict.Fall{Days: 7, Chance: .25, OrMore: true}, Mean: -120, Pays: true}}}
		}, map[string]any{
			"kind": "drop", "percent": 10.0, "snooze": "https://verdetto.example/s",
			"trip": map[string]any{"from": "2026-03-02", "to": "2026-04-01", "month": "2026-03", "nights": "4-7",
				"nonstop": true},
		}, map[string]any{
			"return": "2026-03-23", "nights": "4-7", "nonstop": true, "beforeCents": 4500.0, "told": "2026-02-09",
			"page": "https://verdetto.example/page",
			"expected": map[string]any{"lowCents": 3500.0, "highCents": 5000.0,
				"waits": []any{map[string]any{"days": 7.0, "fall": .25, "orMore": true, "meanCents": -120.0,
					"pays": true}}},
		}},
		{"a drop by an amount", store.Alert{Kind: store.Drop, Amount: 1500},
			func(m *notify.Message) { m.Fares[0].Before = 5500 },
			map[string]any{"kind": "drop", "amountCents": 1500.0, "trip": nil, "percent": nil},
			map[string]any{"beforeCents": 5500.0, "told": nil, "return": nil, "expected": nil}},
		{"a low of some days", store.Alert{Kind: store.Low, Days: 30, Trip: store.Trip{From: 20528, To: 20532}},
			func(m *notify.Message) { m.Fares[0].Lowest = 4100 },
			map[string]any{"kind": "low", "days": 30.0,
				"trip": map[string]any{"from": "2026-03-16", "to": "2026-03-20", "nonstop": false}},
			map[string]any{"lowestCents": 4100.0, "beforeCents": nil}},
		{"airlines", store.Alert{Trip: store.Trip{Airlines: "!FR.W6"}}, func(m *notify.Message) {
			f := &m.Fares[0]
			f.Flight = "easyJet, non-stop."
			f.Offer = verdict.Live{Stops: fare.NonStop, Flight: fare.Flight{Airline: fare.Airline{'U', '2'},
				From: fare.Airport{'B', 'G', 'Y'}, To: fare.Airport{'O', 'T', 'P'}, Minutes: 125}}
		}, map[string]any{"trip": map[string]any{"nonstop": false, "withoutAirline": "FR,W6"}},
			map[string]any{"flight": map[string]any{"text": "easyJet, non-stop.", "airline": "U2",
				"airlineName": "easyJet", "origin": "BGY", "destination": "OTP", "stops": 0.0,
				"durationMinutes": 125.0}}},
		{"a change", store.Alert{Kind: store.Change}, func(*notify.Message) {},
			map[string]any{"kind": "change", "days": nil, "amountCents": nil, "thresholdCents": nil}, nil},
		{"a threshold", store.Alert{Threshold: 4990}, func(*notify.Message) {},
			map[string]any{"kind": "threshold", "thresholdCents": 4990.0}, nil},
		{"a verdict", store.Alert{}, func(*notify.Message) {},
			map[string]any{"kind": "verdict", "thresholdCents": nil}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := fresh(t)
			a := w.verified("ada", "BUH", url)
			w.got = nil
			alert := c.alert
			alert.Subscriber, alert.Route, alert.ID, alert.Channel, alert.Address = a.Subscriber, a.Route, a.ID, a.Channel, a.Address
			m := message("m1")
			m.Snooze = "https://verdetto.example/s"
			c.change(&m)
			if err := w.carrier.Deliver(t.Context(), alert, m); err != nil {
				t.Fatal(err)
			}
			w.work()
			if len(w.got) != 1 {
				t.Fatalf("%d requests", len(w.got))
			}
			var event struct{ Data map[string]any }
			if err := json.Unmarshal(w.got[0].body, &event); err != nil {
				t.Fatal(err)
			}
			first := event.Data["fares"].([]any)[0].(map[string]any)
			for _, part := range []struct{ want, got map[string]any }{{c.data, event.Data}, {c.fare, first}} {
				for field, want := range part.want {
					if diff := cmp.Diff(want, part.got[field]); diff != "" {
						t.Errorf("%s: %s", field, diff)
					}
				}
			}
		})
	}
}
