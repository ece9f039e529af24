package capacity

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
)

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
	// The meter does not support concurrent calls, so Rate 1 sends one mail at a time.
	sender := notify.Sender{Alerts: store.Alerts{Table: m}, Notifications: store.Notifications{Table: m}, Mail: folder,
		Links: notify.Links{Pepper: []byte(fixture.Pepper), BaseURL: "https://verdetto.example"}, Rate: 1, Now: now,
		Log:   slog.New(slog.DiscardHandler),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	clear(m.Spent)
	if sent, err := sender.Work(t.Context()); err != nil || sent.Sent != subscribers {
		t.Fatalf("%+v %v", sent, err)
	}
	t.Logf("notifying %d subscribers spends\n%s", subscribers, m.Spent)
	sending := fixture.Units{}
	for what, n := range m.Spent {
		words := strings.Fields(what)
		sending[strings.Join(words[:2], " ")] += n
	}
	sending.Within(t, fixture.Units{"write LEASE": 2, "read WAKES": 2, "write WAKES": 1, "read DIGESTS": 1},
		fixture.Units{"read ALERTS": 0.5},
		fixture.Units{"read ALERTS": subscribers, "read STOPPED": subscribers, "write ALERTS": subscribers})
}
