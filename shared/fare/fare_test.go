package fare

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseRoute(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Route
		ok   bool
	}{
		{"MIL-BUH", Route{"MIL", "BUH"}, true},
		{"mil-buh", Route{"MIL", "BUH"}, true},
		{"MIL-MIL", Route{}, false},
		{"MIL", Route{}, false},
		{"MIL-BU", Route{}, false},
		{"MIL-BUHX", Route{}, false},
		{"M1L-BUH", Route{}, false},
		{"", Route{}, false},
		{"ÀÀ-BUH", Route{}, false},
		{"ſk-BUH", Route{}, false}, // ſk has three bytes, but is SK in upper case
	} {
		got, err := ParseRoute(c.in)
		if (err == nil) != c.ok || got != c.want {
			t.Errorf("ParseRoute(%q) = %v, %v", c.in, got, err)
		}
	}
}

func TestDays(t *testing.T) {
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{time.Date(2016, 2, 29, 23, 59, 59, 0, time.UTC), "2016-02-29"},
		{time.Date(2016, 3, 1, 0, 30, 0, 0, time.FixedZone("", 3600)), "2016-02-29"},
		{time.Date(1969, 12, 31, 23, 0, 0, 0, time.UTC), "1969-12-31"},
	} {
		if got := DayOf(c.at).String(); got != c.want {
			t.Errorf("DayOf(%v) = %s, want %s", c.at, got, c.want)
		}
	}
	for d := Day(-800); d < 20000; d++ {
		back, err := ParseDay(d.String())
		if err != nil || back != d {
			t.Fatalf("day %d: %s reads as %d, %v", d, d, back, err)
		}
		c := CycleOf(d)
		if d < c.First() || d > c.First()+6 || c.First().Time().Weekday() != time.Monday {
			t.Fatalf("%s is in cycle %d, which begins on %s", d, c, c.First())
		}
	}
}

func TestRates(t *testing.T) {
	r := Rates{PerEuro: map[string]float64{"USD": 1.25, "XXX": 0}}
	if c, ok := r.Euro(100, "USD"); !ok || c != 8000 {
		t.Errorf("100 USD = %d, %v", c, ok)
	}
	if c, ok := r.FromEuro(8000, "USD"); !ok || c != 10000 {
		t.Errorf("80 EUR = %d USD cents, %v", c, ok)
	}
	if c, ok := r.Euro(9.99, "EUR"); !ok || c != 999 {
		t.Errorf("9.99 EUR = %d, %v", c, ok)
	}
	if c, ok := r.Euro(1e300, "USD"); !ok || c <= MaxPrice {
		t.Errorf("a huge amount = %d, %v; want more than any fare", c, ok)
	}
	for _, unknown := range []string{"GBP", "XXX", "usd", ""} {
		if _, ok := r.Euro(1, unknown); ok {
			t.Errorf("%q has a rate", unknown)
		}
	}
	if diff := cmp.Diff([]string{"EUR", "USD", "XXX"}, r.Currencies()); diff != "" {
		t.Error(diff)
	}
}

var currencies = []Currency{EUR, mustCurrency("HUF"), mustCurrency("ZZZ"), mustCurrency("AAA")}

func mustCurrency(code string) Currency {
	c, err := ParseCurrency(code)
	if err != nil {
		panic(err)
	}
	return c
}

func random(rng *rand.Rand, n, days int) []Observation {
	all := make([]Observation, n)
	for i := range all {
		if i > 0 && rng.IntN(10) == 0 {
			all[i] = all[rng.IntN(i)]
			continue
		}
		day := Day(16000 + rng.IntN(days))
		o := Observation{
			Found: day.Time().Unix(), Depart: day + Day(rng.IntN(MaxLead+1)), Price: Cents(1 + rng.IntN(int(MaxPrice))),
			Nights: int16(rng.IntN(MaxNights + 1)), Currency: currencies[rng.IntN(len(currencies))],
			Stops: Stops(rng.IntN(4)), DayOnly: rng.IntN(3) == 0,
		}
		if !o.DayOnly {
			o.Found += int64(rng.IntN(86400))
		}
		all[i] = o
	}
	return all
}

func TestBlocksHoldTheSetWhateverTheOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 100, 5000, BlockSize + 10} {
		all := random(rng, n, 30)
		want := Set(slices.Clone(all))

		blocks := Blocks(all)
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if diff := cmp.Diff(blocks, Blocks(all)); diff != "" {
			t.Fatalf("%d observations: the order mattered: %s", n, diff)
		}
		var got []Observation
		for _, b := range blocks {
			before := len(got)
			var err error
			if got, err = Unpack(got, b.Data); err != nil {
				t.Fatal(err)
			}
			if len(got)-before > BlockSize {
				t.Errorf("a block holds %d", len(got)-before)
			}
			for _, o := range got[before:] {
				if CycleOf(o.FoundDay()) != b.Cycle {
					t.Fatalf("an observation of cycle %d lies in the block of %d", CycleOf(o.FoundDay()), b.Cycle)
				}
			}
		}
		if !slices.Equal(want, got) {
			t.Errorf("%d observations came back as %d, not as %d", n, len(got), len(want))
		}
	}
}

func TestBlockFits(t *testing.T) {
	all := random(rand.New(rand.NewPCG(3, 4)), 4*BlockSize, 1)
	for _, b := range Blocks(all) {
		if len(b.Data) > 390_000 {
			t.Errorf("a block of %d bytes", len(b.Data))
		}
	}
}

func FuzzUnpack(f *testing.F) {
	for _, b := range Blocks(random(rand.New(rand.NewPCG(5, 6)), 50, 14)) {
		f.Add(b.Data)
	}
	for _, b := range Blocks(year(1, .3, func(*rand.Rand) Cents { return 3000 })) {
		f.Add(b.Data)
	}
	f.Add([]byte{})
	f.Add([]byte{packFormat, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Add([]byte{euroFormat, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Unpack(nil, data)
		if err != nil || len(got) == 0 {
			return
		}
		var again []Observation
		for _, b := range Blocks(got) {
			if again, err = Unpack(again, b.Data); err != nil {
				t.Fatalf("what was read cannot be written and read again: %v", err)
			}
		}
	})
}
