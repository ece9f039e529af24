package restore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/routes"
)

// Each caller has an address of its own in 127.0.0.0/8, where every address is this machine.
type caller struct {
	client  *http.Client
	asked   int64
	counted int64 // calls that were counted, according to the last answer
}

var addresses atomic.Int64

func newCaller() *caller {
	n := addresses.Add(1)
	from := &net.TCPAddr{IP: net.IPv4(127, byte(1+n>>16), byte(n>>8), byte(n))}
	dialer := &net.Dialer{LocalAddr: from, Timeout: 10 * time.Second}
	return &caller{
		client: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DialContext: dialer.DialContext}},
	}
}

var counted = routes.Named("rotte")

func (c *caller) call(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+counted.Path, nil)
	if err != nil {
		return err
	}
	c.asked++
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	left, err := strconv.ParseInt(response.Header.Get("X-RateLimit-Remaining"), 10, 64)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s, X-RateLimit-Remaining %q", response.Status, response.Header.Get("X-RateLimit-Remaining"))
	}
	c.counted = counted.Free.Calls - left
	return nil
}

// most is below the quota of an address, so that no call is refused.
var most = counted.Free.Calls - 10

func load(t *testing.T, url string, stop <-chan struct{}, callers []*caller, acknowledged func()) (wait func()) {
	var busy sync.WaitGroup
	for i := range callers {
		busy.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if callers[i].counted >= most {
					callers[i].client.CloseIdleConnections()
					callers[i] = newCaller()
				}
				if err := callers[i].call(context.Background(), url); err != nil {
					var broken net.Error
					if !errors.As(err, &broken) && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) &&
						!strings.Contains(err.Error(), "connection") {
						t.Error(err)
					}
					return
				}
				acknowledged()
			}
		})
	}
	return busy.Wait
}

func post(url string, body any) (int, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	c := newCaller()
	defer c.client.CloseIdleConnections()
	response, err := c.client.Post(url, "application/json", strings.NewReader(string(data)))
	if err != nil {
		return 0, err
	}
	response.Body.Close()
	return response.StatusCode, nil
}

func serve(t *testing.T, d fixture.Shell, file string) fixture.Server {
	t.Helper()
	// The service uses the system's clock, so that the leases of a killed process expire.
	today := time.Now()
	d.Write("fares.csv", fixture.CSVHeader+fmt.Sprintf(
		"MIL,BUH,%s,%s,30.00,EUR\n", today.AddDate(0, 0, -1).Format(time.DateOnly),
		today.AddDate(0, 1, 0).Format(time.DateOnly),
	))
	s := d.Serve("-store", "bolt:"+file, "-upstream", "csv:fares.csv", "-base", base, "-log", "json")
	for {
		response, err := http.Get(s.URL + "/readyz")
		storetest.Must(t, err)
		response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return s
		}
	}
}

const base = "http://127.0.0.1:1"
