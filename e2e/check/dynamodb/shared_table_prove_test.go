package dynamodb

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/fare"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/store/storetest"
)

func TestProveProcessesShareATable(t *testing.T) {
	const subscribers, processes = 60, 3
	endpoint := dynamolocal.Endpoint(t)
	d := fixture.NewShell(t)
	d.Env = append(overDynamoDB(endpoint), "VERDETTO_PEPPER="+fixture.Pepper)
	// The clock is in the future, because DynamoDB expires items by the real time.
	at := time.Date(2066, 3, 1, 12, 0, 0, 0, time.UTC)
	var panel strings.Builder
	panel.WriteString(fixture.CSVHeader)
	for _, f := range fixture.Falling(fare.DayOf(at)) {
		fmt.Fprintf(&panel, "MIL,BUH,%s,%s,%d.%02d,EUR\n", f.FoundDay(), f.Depart, f.Price/100, f.Price%100)
	}
	d.Write("falls.csv", panel.String())
	client := dynamolocal.Client(endpoint)
	storetest.Must(t, dynamostore.Create(t.Context(), client, "together"))
	table := dynamostore.New(client, "together", func() time.Time { return at })
	want := map[string]int{}
	for n := range subscribers {
		email := fmt.Sprintf("s%d@example.com", n)
		fixture.Confirmed(t, table, at, email)
		want[email] = 1
	}

	servers := make([]fixture.Server, processes)
	var starting sync.WaitGroup
	for n := range servers {
		starting.Go(func() {
			servers[n] = d.Serve(
				"-store", "dynamodb:together", "-upstream", "csv:falls.csv", "-now", at.Format(time.RFC3339), "-mail",
				fmt.Sprint("mail", n),
			)
		})
	}
	starting.Wait()
	sent := func() map[string]int {
		got := map[string]int{}
		for n := range servers {
			mails, err := maildir.Read(filepath.Join(d.Dir, fmt.Sprint("mail", n)))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			for _, m := range mails {
				got[m.To]++
			}
		}
		return got
	}
	for tick := time.Tick(100 * time.Millisecond); len(sent()) < subscribers; <-tick {
		if t.Context().Err() != nil {
			t.Fatal("not everybody was sent a mail")
		}
	}

	var answered, refused atomic.Int64
	var callers sync.WaitGroup
	for n := range 120 {
		callers.Go(func() {
			asks := http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{
				LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 4, 0, 1)},
			}).DialContext}}
			defer asks.CloseIdleConnections()
			response, err := asks.Get(servers[n%processes].URL + fixture.Question)
			if err != nil {
				t.Error(err)
				return
			}
			response.Body.Close()
			switch response.StatusCode {
			case 200:
				answered.Add(1)
			case 429:
				refused.Add(1)
			default:
				t.Error(response.Status)
			}
		})
	}
	callers.Wait()
	if answered.Load() != 30 || refused.Load() != 90 {
		t.Errorf("of 120 calls %d were answered and %d refused; want 30 and 90", answered.Load(), refused.Load())
	}
	for n, s := range servers {
		if code := s.Stop(t); code != 0 || strings.Contains(s.Stderr.String(), "level=ERROR") {
			t.Errorf("process %d: exit code %d\n%s", n, code, s.Stderr)
		}
	}
	if diff := cmp.Diff(want, sent()); diff != "" {
		t.Errorf("mails (-want +got)\n%s", diff)
	}
}
