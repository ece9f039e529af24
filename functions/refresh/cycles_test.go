package refresh_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

func TestLateFindsAreLeftToo(t *testing.T) {
	s := openDays(t)
	source := dailyFares(10)
	for d := range fare.Day(10) {
		s.setDay(firstDay + d)
		s.mustRefresh(t, source, "MIL")
	}
	route, fares := fare.Series{Route: notifytest.Route("MIL-BUH")}, store.Fares{Table: s}
	day := firstDay + 9
	left := func() *score.Contribution {
		t.Helper()
		stored, err := fares.ContributionOf(t.Context(), route, day)
		storetest.Must(t, err)
		return stored
	}
	first := left()
	state := departure.Learner{State: *s.sheet(t, "MIL-BUH", false)}
	pooled := pooledOf(t, s)
	late := fare.Observation{Found: (day - 2).Time().Unix(), Depart: day + 90, Price: 12345}
	source.fares = append(source.fares, fare.Fare{Route: route.Route, Observation: late})
	for range 2 {
		s.mustRefresh(t, source, "MIL")
	}
	want := new(score.Contribution)
	want.Add(first)
	state.Advance(day, pooled.Pooled, []departure.Live{{Depart: late.Depart, Price: late.Price, Found: late.Found}},
		&want.Learned)
	if got := left(); *got != *want || *got == *first {
		t.Errorf("what is left is not the sum")
	}
}

type deepDaily struct{ *daily }

func (s deepDaily) Departures(ctx context.Context, q upstream.Question,
	until time.Time) (a upstream.Answer, err error) {
	all, err := s.Fares(ctx, q.Origin, until.Add(-48*time.Hour), until)
	for _, f := range all.Fares {
		if f.Series() == q.Series && (!q.NonStop || f.Stops == fare.NonStop) {
			a.Fares = append(a.Fares, f)
		}
	}
	return a, err
}

func TestPlansCloseCycles(t *testing.T) {
	for name, event := range map[string]string{
		"origins":    `{"source":"aws.events","time":"%s"}`,
		"departures": `{"source":"aws.events","departures":true,"time":"%s"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s := openDays(t)
			source := deepDaily{dailyFares(20)}
			for _, origin := range source.origins {
				s.mustRefresh(t, source, origin)
			}
			q := &fakeQueue{visibility: time.Minute, receives: 5, now: s.clock}
			f := function(refresher(source, s, s.clock), q)
			for d := fare.Day(1); d < 12; d++ {
				s.setDay(firstDay + d)
				if _, err := f.Event(t.Context(),
					json.RawMessage(fmt.Sprintf(event, s.now.Format(time.RFC3339)))); err != nil {
					t.Fatal(err)
				}
				if failed := f.Messages(t.Context(), q.receive(100)); len(failed) > 0 {
					t.Fatal("failed")
				}
				q.messages = nil
				if d < 2 {
					continue
				}
				if c := pooledOf(t, s); c.Day != firstDay+d-1 {
					t.Fatalf("on day %d it is closed until %s", d, c.Day)
				}
			}
			if sheet := s.sheet(t, "ROM-PAR", true); sheet.Route.Count() < 11 || len(sheet.Live) < 11 {
				t.Errorf("%d fares are counted, %d live", sheet.Route.Count(), len(sheet.Live))
			}
		})
	}
}

func TestClosedCycle(t *testing.T) {
	s := openDays(t)
	source := dailyFares(30)
	for d := range fare.Day(6) {
		s.setDay(firstDay + d)
		for _, origin := range source.origins {
			s.mustRefresh(t, source, origin)
		}
	}
	fares := store.Fares{Table: s}
	read := func() departure.Cycle { return pooledOf(t, s) }
	before := read()
	if before.Day != firstDay+4 {
		t.Fatalf("closed until %s", before.Day)
	}
	sum := new(score.Contribution)
	left, err := fares.Contributions(t.Context(), firstDay+5)
	if err != nil || len(left) != 5 {
		t.Fatalf("%d have left something, %v", len(left), err)
	}
	for _, one := range left {
		storetest.Must(t, one.AddTo(sum))
	}
	want := before.Pooled
	for _, h := range departure.Horizons() {
		want.Learn(h, firstDay+5, &sum.Learned)
	}
	want.Fold(firstDay+5, &sum.Learned)

	s.now = (firstDay + 6).Time().Add(30 * time.Minute)
	s.mustRefresh(t, source, "TRN")
	if got := read(); got.Day != firstDay+4 {
		t.Errorf("half an hour after its end the day is closed: %s", got.Day)
	}
	s.now = s.now.Add(time.Hour)
	for range 2 {
		s.mustRefresh(t, source, "MIL")
		if got := read(); got.Day != firstDay+5 || string(got.Pooled.Encode()) != string(want.Encode()) {
			t.Errorf("closed until %s, and the sum is not what was left", got.Day)
		}
	}
	s.setDay(firstDay + 200)
	if s.mustRefresh(t, source, "MIL"); read().Day != firstDay+199 {
		t.Error("after a long pause the cycles are not closed")
	}
}
