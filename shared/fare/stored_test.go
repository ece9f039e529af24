package fare

import (
	"encoding/hex"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestStoredBytes holds the packed form to what stores hold already. A change
// here makes every stored history unreadable: it needs a new format byte and a
// reader for both.
func TestStoredBytes(t *testing.T) {
	observations := []Observation{
		{Found: 1456531200, Depart: 16858, Price: 1999},
		{Found: 1456531200, Depart: 16858, Price: 2500},
		{Found: 1456534799, Depart: 17300, Price: 150},
		{Found: 1456617600, Depart: 16858, Price: 9_999_999}, // departed where it was still the day before
		{Found: 1456700000, Depart: 17359, Price: 1},
	}
	blocks := Blocks(observations)
	const want = "0105809c87ed0a009e1f0000ea079e38f406db24e28d0a01d2d7c409c0870ae807fbd9c409"
	if len(blocks) != 1 {
		t.Fatalf("%d blocks", len(blocks))
	}
	if got := hex.EncodeToString(blocks[0].Data); got != want {
		t.Errorf("packed as %s, want %s", got, want)
	}
	stored, err := hex.DecodeString(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Unpack(nil, stored)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(observations, got); diff != "" {
		t.Error(diff)
	}
}
