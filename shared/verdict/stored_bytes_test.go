package verdict

import (
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

// A changed encoding needs another summaryFormat. lowsFormat must not change.
func TestStoredBytes(t *testing.T) {
	low := func(day fare.Day, price fare.Cents) Low { return Low{Day: day, Price: price} }
	ron, err := fare.ParseCurrency("RON")
	if err != nil {
		t.Fatal(err)
	}
	nonStop := View{
		Newest: 1456617500, Observations: 5, Months: []Month{},
		Lows: []Low{low(16857, 5900)}, Live: []Live{{Depart: 16858, Price: 3900, Found: 1456617500,
			Stops: fare.NonStop}},
	}
	for _, c := range []struct {
		name    string
		summary RouteSummary
		stored  string
	}{
		{"empty", RouteSummary{AsOf: 16858, PerEuro: 1, View: View{Live: []Live{}, Months: []Month{},
			Lows: []Low{}}}, "05b48702000080808080808080f83f000001000000000000"},
		{"as quoted", RouteSummary{
			AsOf: 16858, DeepRequest: 1456617000, Currency: ron, PerEuro: 4.5,
			View: View{
				Newest: 1456617600, Observations: 12345,
				Lows: []Low{low(16857, 3900), {16800, 3999, fare.Money{Amount: 899}}, low(16000, 123456)},
				Live: []Live{
					{Depart: 16858, Price: 3900, Found: 1456617600, Stops: fare.OneStop, DayOnly: true},
					{Depart: 16900, Price: 3600, Found: 1456000000, Quoted: fare.Money{Amount: 800}},
				},
				Months: []Month{{3, 4550, 1999, 812}, {12, 20_000, 9_999, 5}},
				Window: &Window{From: 46, To: 90, Median: 3999, Sample: 321, Saving: -150},
			},
			NonStop: &View{
				Newest: 1456617500, Observations: 5, Months: []Month{},
				Lows: []Low{low(16857, 5900)},
				Live: []Live{{Depart: 16858, Price: 3900, Found: 1456617500, Stops: fare.NonStop, Nights: 14}},
			},
		}, "05b48702d0d891ed0ade5c80808080808080894006f83c0100c7013a0000860ec2ca0e5a030202985c01000180e291ed0af2c0010400f83c00000a54a03880b24b000100c00c04068c479e1fd80c18c0b8029e9c010a025cb401be3e8205ab02b8e091ed0a0a0200f83c000e04000000"},
		{"all non-stop", RouteSummary{
			AsOf: 16858, PerEuro: 1, View: nonStop, NonStop: &nonStop,
		}, "05b48702000080808080808080f83f02985c01000101b8e091ed0a0a0200f83c000004000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := hex.EncodeToString(c.summary.Encode()); got != c.stored {
				t.Errorf("encoded as %s, want %s", got, c.stored)
			}
			stored, err := hex.DecodeString(c.stored)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Decode(stored)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.summary, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
