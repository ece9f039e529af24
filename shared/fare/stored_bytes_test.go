package fare

import (
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// If this test fails, stored histories may no longer be readable. A new encoding needs a new format
// byte, and a reader for both formats.
func TestStoredBytes(t *testing.T) {
	euro := []Observation{
		{Found: 1456531200, Depart: 16858, Price: 1999},
		{Found: 1456531200, Depart: 16858, Price: 2500},
		{Found: 1456534799, Depart: 17300, Price: 150},
		{Found: 1456617600, Depart: 16858, Price: 9_999_999},
		{Found: 1456700000, Depart: 17359, Price: 1},
	}
	ron, huf := mustCurrency("RON"), mustCurrency("HUF")
	for _, c := range []struct {
		name         string
		stored       string
		observations []Observation
		written      bool
	}{
		{"euro, one-way", "0105809c87ed0a009e1f0000ea079e38f406db24e28d0a01d2d7c409c0870ae807fbd9c409", euro, false},
		{"as quoted", "0203de5c8a29000004809c87ed0a00f83c039e38f406f0c89e010e00f606860e14e28d0a010000", []Observation{
			{Found: 1456531200, Depart: 16858, Price: 3900, Currency: ron, Stops: NonStop, DayOnly: true},
			{Found: 1456534799, Depart: 17300, Price: 1_299_000, Currency: huf, Stops: MoreStops},
			{Found: 1456534799, Depart: 17301, Price: 899, Stops: OneStop},
			{Found: 1456617600, Depart: 16858, Price: 3900, Currency: ron},
		}, true},
		{"returns", "0201000102809c87ed0a00a0830102040002d00f0207", []Observation{
			{Found: 1456531200, Depart: 16858, Price: 8400, Nights: 4, Stops: NonStop},
			{Found: 1456531200, Depart: 16859, Price: 9400, Nights: 7, Stops: NonStop},
		}, true},
		{"flights", "030100a08301d00f0500005903bf1d1622843105030301043802011903030" +
			"23b040118030000000001000003809c87ed0a0000000002010200040200", []Observation{
			{Found: 1456531200, Depart: 16858, Price: 8400, Stops: NonStop, DayOnly: true,
				Flight: flight("BGY", "STN", "FR", 125)},
			{Found: 1456531200, Depart: 16859, Price: 9400, Stops: NonStop, DayOnly: true,
				Flight: flight("MXP", "LGW", "U2", 120)},
			{Found: 1456531200, Depart: 16860, Price: 9400, Stops: NonStop, DayOnly: true},
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.written {
				blocks := Blocks(c.observations)
				if len(blocks) != 1 {
					t.Fatalf("%d blocks", len(blocks))
				}
				if got := hex.EncodeToString(blocks[0].Data); got != c.stored {
					t.Errorf("packed as %s, want %s", got, c.stored)
				}
			}
			stored, err := hex.DecodeString(c.stored)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Unpack(nil, stored)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.observations, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
