package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

func TestMonths(t *testing.T) {
	var all []fare.Observation
	jan, feb, mar := day0+5, day0+40, day0+70
	for i := range fare.Day(6) {
		all = append(all, seen(day0-i, jan, 9000+fare.Cents(i)), seen(day0-i, feb, 4000))
		if i < 4 {
			all = append(all, seen(day0-i, mar, 1000))
		}
	}
	got := Build(all, RouteSummary{}, day0, Options{}).Months
	if diff := cmp.Diff([]Month{{2, 4000, 4000, 6}, {1, 9002, 9000, 6}}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWindowLooksWithinADeparture(t *testing.T) {
	var all []fare.Observation
	for i := range fare.Day(10) {
		summer, winter := day0+100+i, day0+5+i
		all = append(all,
			seen(summer-70, summer, 20_000), seen(summer-40, summer, 25_000),
			seen(winter-20, winter, 3000), seen(winter-2, winter, 6000), seen(winter-70, winter, 2500))
	}
	w := Build(all, RouteSummary{}, day0+80, Options{}).Window
	if w == nil || w.From != 61 || w.To != 90 || w.Sample != 20 {
		t.Fatalf("window %+v", w)
	}
	if len(all) > 0 && Build(all[:7*5], RouteSummary{}, day0+80, Options{}).Window == nil {
		t.Error("14 departures are too few")
	}
	if w := Build(all[:3*5], RouteSummary{}, day0+80, Options{}).Window; w != nil {
		t.Errorf("6 departures give a window: %+v", w)
	}
}
