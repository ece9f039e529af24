package travelpayouts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// Two fares from Rome return on the day of departure, so they are dropped.
func TestRecordedFares(t *testing.T) {
	client := &Client{comparable: upstream.Comparable{
		CityOf: func(code string) (fare.City, bool) {
			return fare.City(strings.Replace(code, "PMF", "MIL", 1)), true
		},
		Rates: func(fare.Day) fare.Rates { return fare.Rates{} },
	}}
	for file, want := range map[string]struct {
		fares   int
		dropped map[upstream.Reason]int
		flights map[string]int
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
