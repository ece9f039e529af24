package notify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
)

func (s *simulation) watchWeekly(subscribers int) {
	s.T.Helper()
	day := s.Today() + 60
	watch := []store.Alert{{}, {Trip: store.Trip{From: day, To: day}, Kind: store.Change},
		{Trip: store.Trip{From: day - 2, To: day + 3}, Threshold: 4000}}
	for i := range subscribers {
		for k, a := range watch[:1+i%3] {
			a.Route, a.Language, a.Digest = s.routes[(i+k)%len(s.routes)], "en", true
			s.Confirm(fmt.Sprint("w", i), a)
		}
	}
}

func TestDigestsUnderKills(t *testing.T) {
	const subscribers, days, downFrom, downTo = 100, 28, 14, 20
	s := newSimulation(t, 3)
	s.Rate = 8
	s.watchWeekly(subscribers)
	began := s.Today()
	for n := range days {
		s.Set((began + fare.Day(n)).Time().Add(9 * time.Hour))
		if n >= downFrom && n <= downTo {
			continue
		}
		s.refresh(fare.Cents(5500 - 100*n))
		if n < 2 {
			s.work(0)
			continue
		}
		s.work(60)
	}
	want, got, again := map[string]bool{}, map[string]bool{}, 0
	for i := range subscribers {
		who := fmt.Sprint("w", i)
		for n := 1; n < days; n++ {
			day := began + fare.Day(n)
			// After a week of downtime, the missed digest and the next digest are a single mail.
			if day.Time().Weekday() == store.DigestWeekday(notifytest.IDOf(who)) && n != downFrom {
				want[notifytest.AddressOf(who)+" "+day.String()] = true
			}
		}
	}
	for id, times := range s.messages {
		date, _, _ := strings.Cut(strings.TrimPrefix(id, "digest-"), "-")
		day, err := time.Parse("20060102", date)
		if err != nil || !strings.HasPrefix(id, "digest-") {
			t.Fatalf("message %s: %v", id, err)
		}
		got[s.to[id]+" "+day.Format(time.DateOnly)] = true
		again += times - 1
	}
	if diff := cmp.Diff(want, got); diff != "" || len(s.messages) != len(got) {
		t.Errorf("%d messages; digests (-want +got):\n%s", len(s.messages), diff)
	}
	t.Logf("%d digests, %d of them sent again as they were; %d kills, %d lost answers; %d reads and %d writes",
		len(s.messages), again, s.killed(), s.lost, s.reads, s.write)
	if s.killed() < 100 || s.lost < 10 || again == 0 || again > s.killed()+s.lost {
		t.Errorf("%d kills, %d lost answers, %d messages again", s.killed(), s.lost, again)
	}
}
