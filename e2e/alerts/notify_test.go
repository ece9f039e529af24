// Package alerts starts serve and waits for the mail of an alert.
package alerts

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/store/boltstore"
)

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
	defer func() { stop(); _ = c.Wait() }()
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
