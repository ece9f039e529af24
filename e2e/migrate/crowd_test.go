package migrate

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// crowd is a group of callers that call a service without pause. Each caller uses one loopback
// address after another.
type crowd struct {
	t       *testing.T
	next    atomic.Int64 // number of the next address
	ending  atomic.Bool
	callers sync.WaitGroup

	mu   sync.Mutex
	done []visit
}

// visit counts the calls from one address.
type visit struct {
	address        net.IP
	answered, lost int // calls; lost: unknown whether they were counted
}

const (
	perAddress = 20 // of the daily quota of 30
	question   = "/v1/analisi?origine=Milano&destinazione=Lisbona"
)

func caller(address net.IP) *http.Client {
	return &http.Client{
		Transport: &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: address}}).DialContext},
	}
}

// begin starts two callers for each service. The callers call until the method end is called.
func (c *crowd) begin(urls ...string) {
	c.ending.Store(false)
	for range 2 {
		for _, url := range urls {
			c.callers.Go(func() {
				for !c.ending.Load() {
					c.visit(url)
				}
			})
		}
	}
}

// end stops the callers. It must be called before the service is stopped, so that no call is lost.
func (c *crowd) end() {
	c.ending.Store(true)
	c.callers.Wait()
}

func (c *crowd) visit(url string) {
	n := c.next.Add(1)
	v := visit{address: net.IPv4(127, 3, byte(n>>8), byte(n))}
	asks := caller(v.address)
	defer asks.CloseIdleConnections()
	alert, err := asks.Post(
		url+"/api/v1/alerts", "application/json",
		strings.NewReader(fmt.Sprintf(`{"route":"MIL-LIS","email":"c%d@example.com","threshold":40}`, n)),
	)
	if err != nil || alert.StatusCode != http.StatusAccepted {
		c.t.Errorf("asking for an alert: %v %v", alert, err)
		return
	}
	alert.Body.Close()
	for range perAddress {
		if _, err := ask(asks, url); err != nil {
			c.t.Errorf("the service does not answer while it is moved: %v", err)
			v.lost++
			break
		}
		v.answered++
		if c.ending.Load() {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = append(c.done, v)
}

// ask makes one call and returns how many calls are left in the quota of the address.
func ask(asks *http.Client, url string) (left int, err error) {
	response, err := asks.Get(url + question)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s %.200s %v", response.Status, body, err)
	}
	return strconv.Atoi(response.Header.Get("X-RateLimit-Remaining"))
}

// goOn makes one more call from every address. It checks that the service still knows how many
// calls each address has left.
func (c *crowd) goOn(url string) {
	c.t.Helper()
	const free = 30
	answered := 0
	for _, v := range c.done {
		asks := caller(v.address)
		left, err := ask(asks, url)
		asks.CloseIdleConnections()
		if want := free - 1 - v.answered; err != nil || left > want || left < want-v.lost {
			c.t.Errorf(
				"%s, which had %d answers, has %d calls left, want %d: %v", v.address, v.answered, left, want, err,
			)
		}
		answered += v.answered
	}
	c.t.Logf("%d addresses had %d answers while the service was moved, and go on from there", len(c.done), answered)
	if len(c.done) < 10 {
		c.t.Error("hardly anybody asked")
	}
}
