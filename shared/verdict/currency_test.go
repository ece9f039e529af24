package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

func TestIn(t *testing.T) {
	usd, _ := fare.ParseCurrency("USD")
	judgement := func(price, known, lower, usual, month, change fare.Cents, quoted fare.Money) Judgement {
		return Judgement{
			Judged:    Judged{Live{Price: price, Quoted: quoted}, Verdict{Level: Good, Median: usual, Minimum: lower}},
			Known:     &Live{Price: known, Quoted: fare.Money{Amount: 2999, Currency: fare.EUR}},
			Lower:     &Live{Price: lower, Quoted: fare.Money{Amount: 1001, Currency: fare.EUR}},
			OwnDay:    Verdict{Median: usual},
			Lowest:    &Low{Price: lower},
			Quartiles: &Quartiles{Minimum: lower, Q1: lower, Median: usual, Q3: month, Maximum: month},
			Months:    []Month{{Month: 3, Median: month, Minimum: lower, Sample: 9}},
			Window:    &Window{Median: month, Saving: lower},
			Forecasts: []Forecast{{Fall: Fall{Days: 7}, Mean: change, Low: change, High: change}},
		}
	}
	half := func(c fare.Cents) fare.Cents { return (c + 1) / 2 }
	seen := fare.Money{Amount: 1234, Currency: usd}
	given := judgement(1999, 2999, 1001, 3333, 4000, -50, seen)
	got := given.In("USD", half)
	if diff := cmp.Diff(judgement(1000, 1500, 501, 1667, 2000, -24, seen), got); diff != "" || got.Difference() != 1000-1667 {
		t.Error(diff)
	}
	if diff := cmp.Diff(judgement(1999, 2999, 1001, 3333, 4000, -50, seen), given); diff != "" {
		t.Errorf("what was given is changed: %s", diff)
	}
	if given.Declared = true; given.In("USD", half).Fare.Price != 1234 || given.In("GBP", half).Fare.Price != 1000 {
		t.Error("the caller's own amount is rounded twice")
	}
}
