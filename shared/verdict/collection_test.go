package verdict

import (
	"testing"
	"time"

	"verdetto/shared/fare"
)

func TestCollection(t *testing.T) {
	day := func(ago fare.Day) fare.Day { return day0 - ago }
	for _, c := range []struct {
		lows int
		asOf fare.Day
		want Collection
	}{
		{0, day0, Collection{Days: 0, Since: day(0), First: day(-8)}},
		{3, day0, Collection{Days: 3, Since: day(3), First: day(-5)}},
		{3, day0 - 2, Collection{Days: 3, Since: day(5), First: day(-3)}},
		{7, day0 - 5, Collection{Days: 7, Since: day(12), First: day(-1)}},
		{8, day0, Collection{}},
	} {
		s := RouteSummary{AsOf: c.asOf}
		for ago := range fare.Day(c.lows) {
			s.Lows = append(s.Lows, Low{Day: c.asOf - 1 - ago, Price: 1000})
		}
		got, collecting := s.Collection(day0)
		if got != c.want || collecting != (c.lows < MinSample) {
			t.Errorf("%d lows as of %s: %+v, %t", c.lows, c.asOf, got, collecting)
		}
	}
}

func TestBeforeFares(t *testing.T) {
	for since, want := range map[time.Time]fare.Day{{}: day0, (day0 - 3).Time(): day0 - 3, (day0 + 9).Time(): day0} {
		now := day0.Time().Add(2 * time.Hour)
		if got := *BeforeFares(since, now); got != (Collection{Since: want, First: day0 + 8, Begun: since.After(now)}) {
			t.Errorf("since %s: %+v", since, got)
		}
	}
}
