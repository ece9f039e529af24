package travelpayouts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

func recorded(t *testing.T, file string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(testenv.Data(t), "travelpayouts", file))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// tally holds counts that a person made of a recorded answer.
type tally struct {
	Rows, Returns, DayOnly, NonStop, OneStop, MoreStops int
	Currency                                            string
}

// No recorded answer is one of get_latest_prices with one-way fares, but those of month-matrix have
// the same form of rows, with one-way fares.
func TestRecordedBodies(t *testing.T) {
	tests := []struct {
		endpoint, file string
		want           tally
		refusal        string
		unreadable     bool
	}{
		{"get_latest_prices, returns", "abame_tickets_latest_prices.json",
			tally{Rows: 5, Returns: 5, NonStop: 5, Currency: "USD"}, "", false},
		{"get_latest_prices, return, without an echo", "devua_LatestSuccess.json",
			tally{Rows: 1, Returns: 1, NonStop: 1, Currency: "RUB"}, "", false},
		{"month-matrix, one-way", "abame_tickets_month_matrix.json",
			tally{Rows: 30, OneStop: 2, MoreStops: 28, Currency: "USD"}, "", false},
		{"month-matrix, one-way, 2015", "devua_MonthMatrixSuccess.json", tally{Rows: 1, OneStop: 1, Currency: "RUB"},
			"", false},
		{"week-matrix, returns", "abame_tickets_week_matrix.json",
			tally{Rows: 19, Returns: 19, OneStop: 8, MoreStops: 11, Currency: "USD"}, "", false},
		{"grouped_prices, returns", "partimo_v3_grouped_prices_months_mil_vie.json",
			tally{Rows: 9, Returns: 9, DayOnly: 9, NonStop: 9, Currency: "EUR"}, "", false},
		{"prices_for_dates, returns", "partimo_v3_prices_for_dates_mil_lon_2026_11.json",
			tally{Rows: 12, Returns: 12, DayOnly: 12, NonStop: 12, Currency: "EUR"}, "", false},
		// Two rows are non-stop out and have one stop back, one row has two stops out. So OneStop
		// is 3 and MoreStops is 1.
		{"prices_for_dates, returns with stops", "partimo_v3_prices_for_dates_rom_vie_2026_12.json",
			tally{Rows: 13, Returns: 13, DayOnly: 13, NonStop: 9, OneStop: 3, MoreStops: 1, Currency: "EUR"}, "",
			false},
		{"prices_for_dates, one-way", "v3_prices_for_dates_gyd_ist_2022.json",
			tally{Rows: 1, DayOnly: 1, NonStop: 1, Currency: "RUB"}, "", false},
		{"a bad token", "devua_Unauthorized.json", tally{}, "Unauthorized", false},
		{"v1: an object of objects", "abame_tickets_cheap.json", tally{}, "", true},
		{"v1: neither found_at nor a link", "abame_tickets_calendar.json", tally{}, "", true},
		{"no envelope", "abame_tickets_nearest_places_matrix.json", tally{}, "", true},
	}
	for _, test := range tests {
		t.Run(test.endpoint, func(t *testing.T) {
			p, err := decodePage(recorded(t, test.file), "RUB")
			if test.refusal != "" {
				if diff := cmp.Diff(error(refusal{test.refusal}), err, cmpopts.EquateErrors()); diff != "" {
					t.Error(diff)
				}
				return
			}
			if (err != nil) != test.unreadable {
				t.Fatalf("error %v", err)
			}
			got := tally{Rows: p.rows}
			for _, o := range p.offers {
				got.Currency = o.Currency
				if o.Return != 0 {
					got.Returns++
				}
				if o.DayOnly {
					got.DayOnly++
				}
				switch o.Stops {
				case fare.NonStop:
					got.NonStop++
				case fare.OneStop:
					got.OneStop++
				case fare.MoreStops:
					got.MoreStops++
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" || len(p.unread) > 0 {
				t.Errorf("unread %v: %s", p.unread, diff)
			}
		})
	}
}

// The values were read by a person.
func TestRecordedRows(t *testing.T) {
	tests := []struct {
		file string
		want upstream.Row
	}{
		{"partimo_v3_grouped_prices_months_mil_vie.json", upstream.Row{
			Origin: "MIL", Destination: "VIE", Depart: day(t, "2026-10-14"), Return: day(t, "2026-10-21"),
			Found: day(t, "2026-09-27").Time(), DayOnly: true, Price: 33, Currency: "EUR", Stops: fare.NonStop,
			OriginAirport: "BGY", DestinationAirport: "VIE", Airline: "FR", Minutes: 85,
		}},
		{"v3_prices_for_dates_gyd_ist_2022.json", upstream.Row{
			Origin: "BAK", Destination: "IST", Depart: day(t, "2023-03-26"),
			Found: day(t, "2022-11-06").Time(), DayOnly: true, Price: 8967, Currency: "RUB", Stops: fare.NonStop,
			OriginAirport: "GYD", DestinationAirport: "SAW", Airline: "TK", Minutes: 185,
		}},
		{"abame_tickets_month_matrix.json", upstream.Row{
			Origin: "LED", Destination: "HKT", Depart: day(t, "2022-01-16"),
			Found: time.Date(2021, 12, 12, 13, 5, 30, 0, time.UTC), Price: 261, Currency: "USD", Stops: fare.MoreStops,
			Minutes: 1705,
		}},
		{"abame_tickets_latest_prices.json", upstream.Row{
			Origin: "GDN", Destination: "OSL", Depart: day(t, "2021-12-24"), Return: day(t, "2021-12-27"),
			Found: time.Date(2021, 12, 11, 16, 8, 22, 0, time.UTC), Price: 3, Currency: "USD", Stops: fare.NonStop,
		}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			p, err := decodePage(recorded(t, test.file), "EUR")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, p.offers[0].Row); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Two fares from Rome return on the day of departure. They are dropped, because a return needs at
// least one night away.
func TestRecordedFares(t *testing.T) {
	client := &Client{comparable: upstream.Comparable{
		CityOf: func(code string) (fare.City, bool) { // PMF (Parma) is sold as Milan
			return fare.City(strings.Replace(code, "PMF", "MIL", 1)), true
		},
		Rates: func(fare.Day) fare.Rates { return fare.Rates{} },
	}}
	for file, want := range map[string]struct {
		fares   int
		dropped map[upstream.Reason]int
		flights map[string]int // of the outward journey, counted by hand
	}{
		"partimo_v3_grouped_prices_months_mil_vie.json": {9, map[upstream.Reason]int{},
			map[string]int{"BGY-VIE FR 85": 6, "MXP-VIE FR 90": 1, "LIN-VIE U2 85": 2}},
		"partimo_v3_prices_for_dates_mil_lon_2026_11.json": {12, map[upstream.Reason]int{},
			map[string]int{"BGY-STN FR 125": 5, "MXP-STN FR 125": 5, "PMF-STN FR 110": 2}},
		"partimo_v3_prices_for_dates_rom_vie_2026_12.json": {11, map[upstream.Reason]int{upstream.BadReturn: 2},
			map[string]int{"FCO-VIE FR 105": 9, "CIA-VIE FR 185": 1, "FCO-VIE OS 100": 1}},
	} {
		p, err := decodePage(recorded(t, file), "EUR")
		if err != nil {
			t.Fatal(err)
		}
		answer := upstream.Answer{Dropped: map[upstream.Reason]int{}}
		client.judge(&answer, p, time.Time{}, time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC),
			func(fare.Fare) upstream.Reason { return "" })
		if diff := cmp.Diff(want.dropped, answer.Dropped); len(answer.Fares) != want.fares || diff != "" {
			t.Errorf("%s: %d fares, want %d; dropped %s", file, len(answer.Fares), want.fares, diff)
		}
		flights := map[string]int{}
		for _, f := range answer.Fares {
			flights[fmt.Sprintf("%s-%s %s %d", f.Flight.From, f.Flight.To, f.Flight.Airline, f.Flight.Minutes)]++
		}
		if diff := cmp.Diff(want.flights, flights); diff != "" {
			t.Errorf("%s: flights %s", file, diff)
		}
	}
}
