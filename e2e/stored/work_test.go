package stored

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"verdetto/functions/refresh"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

var update = flag.Bool(
	"update", false,
	"write refreshed.json anew: only where what is stored changes on purpose, and what was stored before is still read",
)

var milBuh = fare.Route{Origin: "MIL", Destination: "BUH"}

// sent holds the fields of a mail that the tests compare.
type sent struct{ ID, To, Subject, Unsubscribe string }

func day(s string) fare.Day {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return fare.DayOf(t)
}

func listOf(mails []mail.Message) (list []sent) {
	for _, m := range mails {
		list = append(list, sent{m.ID, m.To, m.Subject, m.Unsubscribe})
	}
	return list
}

// TestJobs: today's code reads the stored jobs with all their fields. In the earlier version, a
// process had started one of the jobs and then died.
func TestJobs(t *testing.T) {
	s := open(t)
	s.now = s.now.Add(5 * time.Minute)
	at := func(clock string) time.Time {
		moment, err := time.Parse(time.DateTime, "2026-11-01 "+clock)
		storetest.Must(t, err)
		return moment
	}
	for name, want := range map[string][]store.Job{
		"alerts": {
			{Kind: "confirm alert", At: at("11:10:00"), Tries: 1},
			{Kind: "confirm alert", At: at("11:30:00")},
			{Kind: "confirm alert", At: at("11:40:00")},
		},
		"pro": {
			{Kind: "recover key", Email: "oto@example.com", Lang: "en", At: at("11:41:00")},
			{Kind: "recover key", Email: "pat@example.com", Lang: "en", At: at("11:42:00")},
			{Kind: "recover key", Email: "sam@example.com", Lang: "en", At: at("11:43:00")},
		},
	} {
		jobs, err := store.Outbox{Table: s.table, Name: name}.Take(t.Context(), 10, s.now, time.Minute)
		storetest.Must(t, err)
		for i := range jobs {
			if _, err := s.alerts.Alerts.Pending(t.Context(), jobs[i].Ref); name == "alerts" && err != nil {
				t.Errorf("job %d of alerts is about %q: %v", i, jobs[i].Ref, err)
			}
			jobs[i].Ref, jobs[i].Leased = "", time.Time{}
		}
		if diff := cmp.Diff(want, jobs, cmpopts.IgnoreUnexported(store.Job{})); diff != "" {
			t.Errorf("jobs of %s (-303470a +now):\n%s", name, diff)
		}
	}
}

// TestOutboxes: today's code does each stored job once, also the job that a process had started
// before it died. A mailed new key works, and the key that it replaces does not.
func TestOutboxes(t *testing.T) {
	s := open(t)
	work := func() []mail.Message {
		t.Helper()
		if _, err := s.alerts.Confirmations.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.pro.Work(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s.mails.take()
	}
	mails := work()
	if slices.ContainsFunc(mails, func(m mail.Message) bool { return m.To == "ida@example.com" }) {
		t.Error("the job that a process died at was done before its lease was over")
	}
	s.now = s.now.Add(5 * time.Minute)
	mails = append(mails, work()...)
	slices.SortFunc(mails, func(a, b mail.Message) int { return strings.Compare(a.To, b.To) })
	got := listOf(mails)
	for i := range got {
		if got[i].ID == "" {
			t.Errorf("the mail to %s has no id, and is another one each time it is sent", got[i].To)
		}
		// In today's code, these mails have the id of their job, and a link that stops such mails.
		// The test ignores both.
		got[i].ID, got[i].Unsubscribe = "", ""
	}
	if diff := cmp.Diff(s.facts.OutboxMails, got); diff != "" {
		t.Errorf("mails (-303470a +now):\n%s", diff)
	}
	if again := work(); len(again) > 0 {
		t.Errorf("sent a second time: %v", listOf(again))
	}
	for _, m := range mails {
		switch {
		case strings.Contains(m.Text, "vd_"):
			_, key, _ := strings.Cut(m.Text, "vd_")
			q, body := s.ask(question{Method: "GET", Path: "/v1/rotte", From: "203.0.113.1", Key: "vd_" + key[:65]})
			if q.Status != 200 || q.Header["X-Plan"] != "pro" {
				t.Errorf("the key mailed to %s: %d %s", m.To, q.Status, body)
			}
		default:
			_, id, _ := strings.Cut(m.Text, "/v1/alerts/confirm?id=")
			q, body := s.ask(question{
				Method: "POST", Path: "/v1/alerts/confirm?id=" + id[:22], From: "203.0.113.1",
				Type: "application/x-www-form-urlencoded",
			})
			if q.Status != 200 {
				t.Errorf("the link mailed to %s: %d %s", m.To, q.Status, body)
			}
		}
	}
}

// TestNotifications: today's code sends the notifications stored by version 303470a to subscribers
// who have not received them yet. It starts after the lease of the dead process has expired. On
// MIL-LON the stored history decides: gus gets a message only because the fare rose above the
// threshold of gus in between.
func TestNotifications(t *testing.T) {
	s := open(t)
	notifications := store.Notifications{Table: s.table}
	var left []string
	after := ""
	for range 4 { // one more than exist: an unread route would lead back to the first
		n, err := notifications.Next(t.Context(), after)
		if err != nil {
			break // the comparison below checks that this is the end
		}
		after = n.Place()
		left = append(left, n.Route.String())
		past, err := notifications.Past(t.Context(), n.Route)
		if err != nil || past.Day != n.Day || !bytes.Equal(past.History, n.History) {
			t.Errorf("%s: what refreshes saw differs from what the notification says (%v)", n.Route, err)
		}
		if n.Route == milBuh && n.Cursor != s.facts.Cursor {
			t.Errorf("cursor of %s: %q, want %q", n.Route, n.Cursor, s.facts.Cursor)
		}
	}
	if diff := cmp.Diff([]string{"BLQ-LON", "MIL-BUH", "MIL-LON"}, left); diff != "" {
		t.Fatalf("notifications (-303470a +now):\n%s", diff)
	}

	deliver := func() notify.Result {
		t.Helper()
		report, err := s.sender.Work(t.Context())
		storetest.Must(t, err)
		return report
	}
	if report := deliver(); !report.Busy || report.Sent > 0 {
		t.Errorf("while another holds the lease: %+v", report)
	}
	s.now = s.now.Add(5 * time.Minute)
	deliver()
	want := slices.Clone(s.facts.AlertMails)
	for i, subject := range []string{ // subjects now compare with the usual fare
		"Milano–Londra: ora 14,99\u00a0€, di solito 19,99\u00a0€",
		"Milan–London: now €14.99, usually €19.99",
		"Milano–Bucarest: ora 29,99\u00a0€, di solito 29,99\u00a0€",
	} {
		want[i].Subject = subject
	}
	if diff := cmp.Diff(want, listOf(s.mails.take())); diff != "" {
		t.Errorf("mails (-303470a +now):\n%s", diff)
	}
	if report := deliver(); report.Sent > 0 {
		t.Errorf("delivered a second time: %+v", report)
	}
}

// TestRefresh: the next weekly refresh continues from the stored data. Each item that it stores
// must have the same bytes as with version 303470a. Only price trends differ, as intended: they
// also contain the verdict on each cheapest fare, and are stored in the packed format.
func TestRefresh(t *testing.T) {
	s := open(t)
	s.now = time.Date(2026, 11, 8, 6, 0, 0, 0, time.UTC)
	r := refresh.Refresher{
		Source: readWeek(t), Fares: store.Fares{Table: s.table}, Now: func() time.Time { return s.now },
	}
	report, err := r.Run(t.Context())
	if err != nil || report.Failed > 0 || report.New == 0 || report.Duplicate == 0 {
		t.Fatalf("refresh: %+v, %v", report, err)
	}
	got := map[string]string{}
	var want map[string]string
	readJSON(t, "refreshed.json", &want)
	partitions := map[string]bool{}
	for key := range want {
		partition, _, _ := strings.Cut(key, " ")
		partitions[partition] = true
	}
	for partition := range partitions {
		items, err := s.table.Query(t.Context(), store.Range{Partition: partition, Read: store.Strong})
		storetest.Must(t, err)
		for _, item := range items {
			key := partition + " " + item.Sort
			if _, had := want[key]; !had {
				continue // a kind of item that later versions add
			}
			sum := sha256.Sum256(item.Data)
			got[key] = fmt.Sprintf("%x", sum[:6])
		}
	}
	if *update {
		data, err := json.MarshalIndent(got, "", " ")
		if err == nil {
			err = os.WriteFile(filepath.Join("testdata", "refreshed.json"), append(data, '\n'), 0o644)
		}
		storetest.Must(t, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored items (-303470a +now):\n%s", diff)
	}
}
