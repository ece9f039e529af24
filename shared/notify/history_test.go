package notify

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

func TestAdd(t *testing.T) {
	h := story(at(1), at(2))
	for _, c := range []struct {
		name string
		add  Observation
		want history
	}{
		{"another day", Observation{Day: 114, Price: 3, Level: verdict.Expensive},
			story(at(1), at(2), Observation{Price: 3, Level: verdict.Expensive})},
		{"the same day again", Observation{Day: 107, Price: 3, Level: verdict.Fair}, story(at(1), at(3))},
		{"a day long before, after a clock that was ahead", Observation{Day: 90, Price: 3, Level: verdict.Fair},
			history{{Day: 90, Price: 3, Level: verdict.Fair}}},
		{"an earlier day", Observation{Day: 103, Price: 3, Level: verdict.Fair}, h},
	} {
		if diff := cmp.Diff(c.want, h.add(c.add)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if diff := cmp.Diff(story(at(1), at(2)), h); diff != "" {
		t.Errorf("what was added to has changed: %s", diff)
	}
	for i := range 100 {
		h = h.add(Observation{Day: fare.Day(1000 + i)})
	}
	if len(h) != maxHistory || h[maxHistory-1].Day != 1099 {
		t.Errorf("%d refreshes remembered, the last of day %d", len(h), h[len(h)-1].Day)
	}
}
