package alerts

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
)

// TestNotifyingCapacity measures the DynamoDB units to notify a route with alerts and to send a
// mail. They must equal the figures in the package comment of shared/store.
func TestNotifyingCapacity(t *testing.T) {
	t.Parallel()
	at := time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC)
	now := func() time.Time { return at }
	m := fixture.Metered(t, now)
	const subscribers = 4
	for i := range subscribers {
		fixture.Confirmed(t, m, at, fmt.Sprintf("s%d@example.com", i))
	}
	r := refresh.Refresher{Source: fixture.Falling(fare.DayOf(at)), Fares: store.Fares{Table: m}, Now: now, Workers: 1}
	clear(m.Spent)
	if report, err := r.Run(t.Context()); err != nil || report.Notifications != 1 {
		t.Fatalf("%+v %v", report, err)
	}
	t.Logf("a refresh that leaves a notification spends\n%s", m.Spent)
	watching := fixture.Units{}
	for what, n := range m.Spent {
		if strings.Contains(what, "WATCHED") || strings.Contains(what, "SEEN") || strings.Contains(what, "WAKES") {
			watching[what] = n
		}
	}
	watching.Within(t, fixture.Units{"read WATCHED": 1, "read SEEN HISTORY": 1, "write SEEN HISTORY": 4})

	folder, err := maildir.Open(t.TempDir(), now)
	if err != nil {
		t.Fatal(err)
	}
	sender := notify.Sender{Alerts: store.Alerts{Table: m}, Notifications: store.Notifications{Table: m}, Mail: folder,
		Links: notify.Links{Pepper: []byte(fixture.Pepper), BaseURL: "https://verdetto.example"}, Rate: 1, Now: now,
		Log: slog.New(slog.DiscardHandler),
		// The sender must send one mail at a time, because the meter does not support concurrent
		// calls.
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	clear(m.Spent)
	if sent, err := sender.Work(t.Context()); err != nil || sent.Sent != subscribers {
		t.Fatalf("%+v %v", sent, err)
	}
	t.Logf("notifying %d subscribers spends\n%s", subscribers, m.Spent)
	sending := fixture.Units{}
	for what, n := range m.Spent { // without the names of subscribers and routes
		words := strings.Fields(what)
		sending[strings.Join(words[:2], " ")] += n
	}
	sending.Within(t, fixture.Units{"write LEASE": 2, "read WAKES": 2, "write WAKES": 1, "read DIGESTS": 1},
		fixture.Units{"read ALERTS": 0.5}, // the page
		fixture.Units{"read ALERTS": subscribers, "read STOPPED": subscribers, "write ALERTS": subscribers})
}

// TestServeNotifies: the command serve also sends the notifications that its refreshes create.
func TestServeNotifies(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	at := time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC)
	d.Write("falls.csv", fallingCSV(at))
	table, err := boltstore.Open(filepath.Join(d.Dir, "alerts.db"), func() time.Time { return at })
	if err != nil {
		t.Fatal(err)
	}
	fixture.Confirmed(t, table, at, "ada@example.com")
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	c := d.Command(ctx, "serve", "-listen", "127.0.0.1:0", "-store", "bolt:alerts.db", "-upstream", "csv:falls.csv",
		"-now", at.Format(time.RFC3339))
	c.Env = append(c.Env, "VERDETTO_PEPPER="+fixture.Pepper)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stop(); _ = c.Wait() }() // it is killed
	mails := fixture.Mail(t, filepath.Join(d.Dir, "mail"), fixture.Any)
	if len(mails) != 1 || !strings.HasPrefix(mails[0].Unsubscribe, "http://127.0.0.1:") ||
		mails[0].To != "ada@example.com" {
		t.Errorf("%+v", mails)
	}
}

func fallingCSV(at time.Time) string {
	var panel strings.Builder
	panel.WriteString(fixture.CSVHeader)
	for _, f := range fixture.Falling(fare.DayOf(at)) {
		fmt.Fprintf(&panel, "MIL,BUH,%s,%s,%d.%02d,EUR\n", f.FoundDay(), f.Depart, f.Price/100, f.Price%100)
	}
	return panel.String()
}
