package verdict

import (
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStoredBytes holds the encoded summary to what stores hold already. A
// change here needs a new format byte.
func TestStoredBytes(t *testing.T) {
	for _, c := range []struct {
		name    string
		summary RouteSummary
		stored  string
	}{
		{"empty", RouteSummary{AsOf: 16858, Live: []Live{}, Months: []Month{}, Lows: []Low{}}, "01b48702000000000000"},
		{"full", RouteSummary{
			AsOf: 16858, Newest: 1456617600, Observations: 12345,
			Lows:   []Low{{16857, 999}, {16000, 999}, {15764, 1000}, {16800, 123456}},
			Live:   []Live{{16858, 4000, 1456617600}, {16900, 1999, 1456000000}},
			Months: []Month{{3, 4550, 1999, 812}, {12, 20_000, 9_999, 5}},
			Window: &Window{From: 46, To: 90, Median: 3999, Sample: 321, Saving: -150},
		}, "01b4870280e291ed0af2c0010400c03e00549e1f80b24b04068c479e1fd80c18c0b8029e9c010a025cb401be3e8205ab0208e7070100005a03014604d8bc073a00"},
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
