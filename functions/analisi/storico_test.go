package analisi_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/apikey"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
)

type customer store.Customer

func (c customer) Customer(_ context.Context, id apikey.CustomerID) (store.Customer, error) {
	if id != c.ID {
		return store.Customer{}, store.ErrNotFound
	}
	return store.Customer(c), nil
}

func TestHistory(t *testing.T) {
	id := apikey.CustomerIDOf([]byte("pepper"), "ada@example.com")
	key, hash, err := apikey.Mint(rand.Reader, id)
	if err != nil {
		t.Fatal(err)
	}
	stale := analisitest.SummaryOf(40)
	stale.AsOf -= 30
	api := analisitest.Site{
		Summaries: analisitest.Summaries{
			analisitest.MilBuh:                  analisitest.SummaryOf(300),
			{Origin: "MIL", Destination: "ROM"}: stale,
			{Origin: "MIL", Destination: "PAR"}: fmt.Errorf("read: %w", store.ErrUnavailable),
		},
		Customers: customer{ID: id, Hash: hash[:], Until: analisitest.Today.Add(time.Hour)},
	}.Open()
	for _, c := range []struct {
		name, query, key string
		status           int
		weeks            int
		first            string
		today            fare.Cents
	}{
		{"free", "origine=Milano&destinazione=Bucarest", "", 200, 26, "2015-W37", 3000},
		{"pro", "origine=Milano&destinazione=Bucarest", key, 200, 44, "2015-W19", 3000},
		{"no live fare", "origine=Milano&destinazione=Roma", "", 200, 2, "2016-W03", 0},
		{"not covered", "origine=Bucarest&destinazione=Milano", "", 404, 0, "", 0},
		{"unknown city", "origine=Atlantide&destinazione=Milano", "", 404, 0, "", 0},
		{"same city", "origine=Milan&destinazione=Milano", "", 400, 0, "", 0},
		{"missing", "origine=Milan", "", 400, 0, "", 0},
		{"bad key", "origine=Milano&destinazione=Bucarest", "vd_nobodys", 401, 0, "", 0},
		{"storage is down", "origine=Milano&destinazione=Parigi", "", 503, 0, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/v1/storico?"+c.query, nil)
			if c.key != "" {
				r.Header.Set(httpapi.KeyHeader, c.key)
			}
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			var got published.Storico
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != c.status {
				t.Fatalf("%d %.300s %v", w.Code, w.Body, err)
			}
			if c.status != 200 {
				return
			}
			if len(got.Settimane) != c.weeks || got.Settimane[0].Settimana != c.first {
				t.Fatalf("%d weeks from %+v", len(got.Settimane), got.Settimane[0])
			}
			if (got.OggiCent == nil) != (c.today == 0) || got.OggiCent != nil && *got.OggiCent != c.today {
				t.Errorf("today %v", got.OggiCent)
			}
			for i, s := range got.Settimane {
				if s.MinimoCent <= 0 || s.MedianaCent < s.MinimoCent || s.Giorni < 1 || s.Giorni > 7 || i > 0 &&
					s.Dal <= got.Settimane[i-1].Dal {
					t.Errorf("week %+v", s)
				}
			}
		})
	}
}

// The route has the fares of SummaryOf, found 5, 25, 50 and 70 days before departure.
func TestHistoryOfDepartures(t *testing.T) {
	h := calendars(false)
	for _, c := range []struct {
		name, query string
		status      int
		code        string
		days        []published.Visto
		weeks       int
	}{
		{"a departure", "&partenza=2016-03-26", 200, "", []published.Visto{
			{Giorno: "2016-02-05", Anticipo: 50, Cent: 3425}, {Giorno: "2016-03-01", Anticipo: 25, Cent: 5500}}, 0},
		{"one that was never seen", "&partenza=2016-08-01", 200, "", []published.Visto{}, 0},
		{"a month", "&mese=2016-04", 200, "", nil, 7},
		{"a month that was never seen", "&mese=2016-11", 200, "", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := analisitest.Get(t, h, "/v1/storico?origine=Milano&destinazione=Bucarest"+c.query)
			var got struct {
				published.Storico
				Code string
			}
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != c.status || got.Code != c.code {
				t.Fatalf("%d %.400s %v", w.Code, w.Body, err)
			}
			switch {
			case c.status != 200:
			case c.days != nil:
				if got.Partenza == nil || got.Mese != nil {
					t.Fatalf("%.400s", w.Body)
				}
				if diff := cmp.Diff(c.days, got.Partenza.Giorni); diff != "" {
					t.Error(diff)
				}
			case got.Mese == nil || got.Mese.Settimane == nil ||
				len(got.Mese.Settimane) != c.weeks || got.Partenza != nil:
				t.Errorf("%+v", got.Mese)
			}
			if c.status == 200 && len(got.Settimane) != 7 {
				t.Errorf("%d weeks of the route", len(got.Settimane))
			}
		})
	}
	if w := analisitest.Get(t, calendars(true),
		"/v1/storico?origine=Milano&destinazione=Bucarest&partenza=2016-03-26"); w.Code != 403 ||
		!strings.Contains(w.Body.String(), "tariffe-non-mostrate") {
		t.Errorf("fares of past days that may not be shown: %d %.300s", w.Code, w.Body)
	}
}
