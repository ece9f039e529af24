package store_test

import (
	"slices"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

func TestPostponedJobs(t *testing.T) {
	outbox := store.Outbox{Table: openAlerts(t).Table, Name: "push"}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, ref := range []string{"a", "b", "c"} {
		for range 2 {
			storetest.Must(t, outbox.PutOnce(t.Context(), store.Job{Ref: ref, At: now, Data: []byte(`"x"`)}, ref))
		}
	}
	take := func(at time.Time, want ...string) []store.Job {
		t.Helper()
		jobs, err := outbox.Take(t.Context(), 2, at, time.Minute)
		storetest.Must(t, err)
		var got []string
		for _, j := range jobs {
			got = append(got, j.Ref)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%v are taken, not %v", got, want)
		}
		return jobs
	}
	for _, j := range take(now, "a", "b") {
		storetest.Must(t, outbox.Postpone(t.Context(), j, now.Add(time.Hour)))
		storetest.Must(t, outbox.Postpone(t.Context(), j, now.Add(2*time.Hour)))
	}
	storetest.Must(t, outbox.Delete(t.Context(), take(now, "c")[0]))
	take(now.Add(59 * time.Minute))
	jobs, err := outbox.Take(t.Context(), 5, now.Add(time.Hour), time.Minute)
	if err != nil || len(jobs) != 2 || jobs[0].Tries != 1 || string(jobs[0].Data) != `"x"` || !jobs[0].At.Equal(now) {
		t.Fatalf("%+v %v", jobs, err)
	}
}
