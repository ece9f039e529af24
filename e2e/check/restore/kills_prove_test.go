package restore

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/store/storetest"
)

var (
	confirmation = regexp.MustCompile(regexp.QuoteMeta(base) + `(/v1/alerts/confirm\?id=\S+)`)
	alertsHeld   = regexp.MustCompile(`(?m)^alerts +(\d+),`)
)

func kill(t *testing.T, times int, within time.Duration) {
	d := fixture.NewShell(t)
	random := rand.New(rand.NewPCG(1, 2))
	s := serve(t, d, "kept.db")
	var slowest time.Duration
	var calls, unsure int64
	asked, confirmed := map[string]bool{}, map[string]bool{}
	for round := range times {
		callers := make([]*caller, 8)
		for i := range callers {
			callers[i] = newCaller()
		}
		var acknowledged atomic.Int64
		enough, after := make(chan struct{}), 1+random.Int64N(150)
		wait := load(t, s.URL, nil, callers, func() {
			if acknowledged.Add(1) == after {
				close(enough)
			}
		})
		address := fmt.Sprintf("ada%d@example.com", round)
		if status, err := post(
			s.URL+"/v1/alerts", map[string]any{"route": "MIL-BUH", "email": address, "threshold": 1},
		); err == nil && status == http.StatusAccepted {
			asked[address] = true
		} else if err == nil {
			t.Errorf("an alert is asked for: %d", status)
		}
		confirm(t, s.URL, filepath.Join(d.Dir, "mail"), asked, confirmed)
		<-enough
		s.Kill(t)
		wait()
		calls += acknowledged.Load()

		begun := time.Now()
		s = serve(t, d, "kept.db")
		took := time.Since(begun)
		slowest = max(slowest, took)
		if took > within {
			t.Errorf("kill %d: ready after %v, want %v", round+1, took, within)
		}
		for i, c := range callers {
			c.client.CloseIdleConnections()
			was, open := c.counted, c.asked-c.counted
			storetest.Must(t, c.call(t.Context(), s.URL))
			if c.counted < was+1 || c.counted > was+1+open {
				t.Errorf(
					"kill %d, caller %d: %d calls were acknowledged and %d unanswered; the next one is number %d", round+1, i, was,
					open, c.counted,
				)
			}
			if c.counted > was+1 {
				unsure++
			}
		}
	}
	for address := range asked {
		fixture.Mail(t, filepath.Join(d.Dir, "mail"), func(m maildir.Mail) bool { return m.To == address })
	}
	confirm(t, s.URL, filepath.Join(d.Dir, "mail"), asked, confirmed)
	s.Kill(t)
	s = serve(t, d, "kept.db")
	got := d.Run("status", "-store", "bolt:kept.db")
	held := append(alertsHeld.FindStringSubmatch(got.Stdout), "", "")
	if n, err := strconv.Atoi(held[1]); err != nil || n < len(confirmed) {
		t.Errorf("%d alerts were confirmed: %s%s", len(confirmed), got.Stdout, got.Stderr)
	}
	if code := s.Stop(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Log())
	}
	if got := d.Run("verify", "-store", "bolt:kept.db"); got.Code != 0 {
		t.Errorf("verify: %s", got.Stderr)
	}
	if len(asked) < times/2 || len(confirmed) < times/4 {
		t.Errorf("only %d alerts were asked for and %d confirmed", len(asked), len(confirmed))
	}
	t.Logf("%d kills; %d counted calls, %d alerts asked for and %d confirmed were acknowledged, and all are there; %d calls took effect unanswered; ready after %v at most",
		times, calls, len(asked), len(confirmed), unsure, slowest.Round(time.Millisecond))
}

func confirm(t *testing.T, url, folder string, asked, confirmed map[string]bool) {
	t.Helper()
	mails, err := maildir.Read(folder)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, m := range mails {
		link := confirmation.FindStringSubmatch(m.Text)
		if link == nil || confirmed[m.To] || !asked[m.To] {
			continue
		}
		c := newCaller()
		response, err := c.client.Post(url+link[1], fixture.Form, strings.NewReader(""))
		if err != nil {
			return
		}
		page, _ := io.ReadAll(response.Body)
		response.Body.Close()
		c.client.CloseIdleConnections()
		if response.StatusCode != http.StatusOK {
			t.Errorf("confirm an alert: %s %.300s", response.Status, page)
			continue
		}
		confirmed[m.To] = true
	}
}

func TestProveKills(t *testing.T) { kill(t, 10, 5*time.Second) }
