package alerts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/store/boltstore"
)

func TestProveKilledProcess(t *testing.T) { killed(t, 10) }

// killed kills the command several times while it mails 500 subscribers, then lets it finish. Each
// must get one mail. All runs use the same day, because a mail's id contains the day, and a mail
// with another id would be sent again.
func killed(t *testing.T, kills int) {
	t.Helper()
	d := fixture.NewShell(t)
	at := time.Date(2016, 3, 1, 0, 1, 0, 0, time.UTC)
	d.Write("falls.csv", fallingCSV(at))
	table, err := boltstore.Open(filepath.Join(d.Dir, "alerts.db"), func() time.Time { return at }, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for i := range 500 {
		email := fmt.Sprintf("s%d@example.com", i)
		fixture.Confirmed(t, table, at, email)
		want[email] = 1
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(d.Dir, "mail")
	mails := func() int {
		files, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return len(files)
	}
	// run kills the command when the folder contains until mails. Each run's clock is 4 minutes
	// later, so that the lease of the killed process has expired.
	run := func(until int) (stdout string, err error) {
		ctx, kill := context.WithCancel(t.Context())
		defer kill()
		c := d.Command(ctx, "refresh", "-store", "bolt:alerts.db", "-upstream", "csv:falls.csv", "-mail", "mail",
			"-now", at.Format(time.RFC3339))
		c.Env = append(c.Env, "VERDETTO_PEPPER="+fixture.Pepper)
		at = at.Add(4 * time.Minute)
		ended := make(chan struct{})
		var watch sync.WaitGroup
		watch.Go(func() {
			for tick := time.Tick(time.Millisecond); mails() < until; {
				select {
				case <-ended:
					return
				case <-tick:
				}
			}
			kill()
		})
		out, err := c.Output()
		close(ended)
		watch.Wait()
		return string(out), err
	}
	mailed := func() map[string]int {
		all, err := maildir.Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, m := range all {
			got[m.To]++
		}
		return got
	}
	chance := rand.New(rand.NewPCG(3, 1))
	ended := 0
	for range kills {
		if _, err := run(mails() + 1 + chance.IntN(len(want)/kills)); err == nil {
			ended++
		}
	}
	out, err := run(math.MaxInt)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("killed %d times among the mails; at last: %s", kills-ended,
		strings.TrimSpace(out[strings.LastIndex(out, "mail "):]))
	if diff := cmp.Diff(want, mailed()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if ended > kills/2 {
		t.Errorf("of %d it ended %d times before it was killed", kills, ended)
	}
	again, err := run(math.MaxInt)
	if err != nil || !strings.Contains(again, "mail          0 sent") {
		t.Errorf("once more: %v\n%s", err, again)
	}
}
