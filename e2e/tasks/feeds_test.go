package tasks

import (
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/upstream/sample"
)

// An independent parser can read both formats of the feed of deals. Repeating a refresh changes no
// byte. After the refresh of the next day, an unchanged entry keeps its id and time; each other
// entry has a later time than all entries before.
func TestFeedsOverRefreshes(t *testing.T) {
	t.Parallel()
	clock := fixture.Today.AddDate(0, 0, 2) // on the next two days, some deals stay the same
	now := func() time.Time { return clock }
	o := onemachine.Options{Table: fixture.Bolt(t, now), Source: sample.New(), Now: now,
		Log: slog.New(slog.DiscardHandler), BaseURL: "https://verdetto.example"}
	refresh := func() {
		t.Helper()
		if report, err := o.Refresh(t.Context(), nil, "ROM"); err != nil || report.Failed > 0 {
			t.Fatal(report, err)
		}
	}
	get := func(file string) string {
		t.Helper()
		w := httptest.NewRecorder()
		fixture.New(t, o).API.ServeHTTP(w, httptest.NewRequest("GET", "/feed/"+file, nil))
		if w.Code != 200 {
			t.Fatalf("%s: %d %s", file, w.Code, w.Body)
		}
		return w.Body.String()
	}
	parse := func(text string) *gofeed.Feed {
		t.Helper()
		f, err := gofeed.NewParser().ParseString(text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	refresh()
	allStayed := 0
	for _, file := range []string{"ROM-it.atom", "ROM-en.json"} {
		before := get(file)
		refresh()
		if get(file) != before {
			t.Errorf("%s: the same refresh again changed it", file)
		}
		clock = clock.AddDate(0, 0, 1)
		refresh()
		first, second := parse(before), parse(get(file))
		had := map[string]*gofeed.Item{}
		for _, item := range first.Items {
			if had[item.GUID] != nil || item.Link == "" || item.Title == "" || item.UpdatedParsed == nil {
				t.Errorf("%s: %+v", file, item)
			}
			had[item.GUID] = item
		}
		stayed := 0
		for _, item := range second.Items {
			was := had[item.GUID]
			switch same := was != nil && was.Title == item.Title && was.Content == item.Content; {
			case same && was.UpdatedParsed.Equal(*item.UpdatedParsed):
				stayed++
			case same:
				t.Errorf("%s: an unchanged entry is new: %s", file, item.Title)
			case was != nil && !item.UpdatedParsed.After(*was.UpdatedParsed):
				t.Errorf("%s: %q became %q, and it is not said", file, was.Title, item.Title)
			}
		}
		if len(first.Items) < 3 {
			t.Errorf("%s: %d entries", file, len(first.Items))
		}
		allStayed += stayed
		t.Logf("%s: %d entries, then %d, of which %d as they were", file, len(first.Items), len(second.Items), stayed)
	}
	if allStayed == 0 {
		t.Error("nothing was told again: the test cannot tell")
	}
}
