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
		add  entry
		want history
	}{
		{"another day", entry{114, 3, verdict.Caro}, story(at(1), at(2), entry{Price: 3, Level: verdict.Caro})},
		{"the same day again", entry{107, 3, verdict.Normale}, story(at(1), at(3))},
		{"an earlier day", entry{103, 3, verdict.Normale}, h},
	} {
		if diff := cmp.Diff(c.want, h.add(c.add)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if diff := cmp.Diff(story(at(1), at(2)), h); diff != "" {
		t.Errorf("what was added to has changed: %s", diff)
	}
	for i := range 100 {
		h = h.add(entry{Day: fare.Day(1000 + i)})
	}
	if len(h) != maxHistory || h[maxHistory-1].Day != 1099 {
		t.Errorf("%d refreshes remembered, the last of day %d", len(h), h[len(h)-1].Day)
	}
}
