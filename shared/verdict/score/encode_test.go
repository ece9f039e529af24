package score

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

func some(chance *rand.Rand, part int) *Counts {
	c := new(Counts)
	c.each(func(n *int64) {
		if chance.IntN(part) == 0 {
			*n = chance.Int64N(1<<20) - 1<<10
		}
	})
	return c
}

func TestCountsAreRead(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 16))
	for _, part := range []int{1, 3, 50, 1 << 20} {
		a, b := some(chance, part), some(chance, part)
		read, err := DecodeCounts(a.Encode())
		if err != nil || *read != *a {
			t.Fatalf("one of %d: %v", part, err)
		}
		both := *a
		both.Add(b)
		other := *b
		other.Add(a)
		if both != other {
			t.Error("the sum depends on the order")
		}
		sum := &Sum{16802, 16809, "csv", both}
		if read, err := DecodeSum(sum.Encode()); err != nil || *read != *sum {
			t.Errorf("a sum: %v", err)
		}
	}
	if data := some(chance, 1).Encode(); len(data) > 3<<10 {
		t.Errorf("counts up to a million take %d bytes", len(data))
	}
}

func rounds() Rounds {
	return Rounds{
		{Day: 16802, Rule: Rule, Currency: fare.EUR, Settled: FortnightSettled, Route: &RouteAnswer{Price: 4999,
			Age: 2, Level: 3}},
		{Day: 16809, Rule: Rule, Currency: fare.EUR, Settled: WeekSettled, Departs: []DepartureAnswer{
			{Depart: 16810, Price: 4999, Sure: 2, Percentile: 7, Own: [2]uint8{13, 199}, Cheaper: 3, Rival: NoRival},
			{Depart: 16840, Price: 2999, Age: 7, Percentile: 99, Own: [2]uint8{90, 100}, Stated: [2]uint8{40,
				40}, Cheaper: 100, Rival: 55},
		}},
	}
}

// Counts cannot be computed again, so stored counts must stay readable.
func TestStoredBytes(t *testing.T) {
	const (
		packed = "0202c486020300020187270bd2860203000104018e4e02070dc7000003651e9f1f1c635a6428286437"
		counts = "0100060e01"
	)
	c := &Counts{Rounds: 3}
	c.Horizons[0].Own[3].N = -1
	for name, c := range map[string]struct{ got, want string }{
		"rounds": {hex.EncodeToString(rounds().Encode()), packed},
		"counts": {hex.EncodeToString(c.Encode()), counts},
	} {
		if c.got != c.want {
			t.Errorf("%s are packed as %s, want %s", name, c.got, c.want)
		}
	}
	read, err := DecodeRounds(rounds().Encode())
	if diff := cmp.Diff(rounds(), read); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if none, err := DecodeRounds(Rounds{}.Encode()); err != nil || none != nil {
		t.Error(none, err)
	}
}

func TestContribution(t *testing.T) {
	for _, rounds := range []int64{0, 2} {
		want := &Contribution{Counts: Counts{Rounds: rounds}}
		read, err := DecodeContribution(want.Encode())
		if err != nil || *read != *want || read.Empty() != (rounds == 0) {
			t.Errorf("%+v %v", read, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(rounds().Encode())
	f.Add(some(rand.New(rand.NewPCG(2, 16)), 20).Encode())
	f.Add((&Contribution{Counts: Counts{Rounds: 1}}).Encode())
	f.Add((&Sum{Since: 5}).Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := DecodeRounds(data); err == nil {
			again, err := DecodeRounds(r.Encode())
			if diff := cmp.Diff(r, again); diff != "" && len(r) > 0 || err != nil {
				t.Error(err, diff)
			}
		}
		if c, err := DecodeCounts(data); err == nil {
			if again, err := DecodeCounts(c.Encode()); err != nil || *again != *c {
				t.Error(err)
			}
		}
		DecodeContribution(data)
		DecodeSum(data)
	})
}
