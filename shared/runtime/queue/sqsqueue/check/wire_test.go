package check

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/go-cmp/cmp"

	"verdetto/shared/runtime/queue/sqsqueue"
)

type entry struct {
	ID   string `json:"Id"`
	Body string `json:"MessageBody"`
}

type wire struct {
	trouble func(body string, request int) string
	fail    func(request int) (status int, err error)
	mu      sync.Mutex
	batches [][]string
	taken   []string
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	var in struct{ Entries []entry }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	var bodies []string
	for _, e := range in.Entries {
		bodies = append(bodies, e.Body)
	}
	w.batches = append(w.batches, bodies)
	request := len(w.batches)
	status := http.StatusOK
	if w.fail != nil {
		var err error
		if status, err = w.fail(request); err != nil {
			return nil, err
		}
	}
	good, bad := []map[string]any{}, []map[string]any{}
	for _, e := range in.Entries {
		trouble := ""
		if w.trouble != nil {
			trouble = w.trouble(e.Body, request)
		}
		if trouble == "" {
			sum := md5.Sum([]byte(e.Body))
			good = append(good, map[string]any{"Id": e.ID, "MessageId": "m-" + e.Body, "MD5OfMessageBody": hex.EncodeToString(sum[:])})
			if status == http.StatusOK {
				w.taken = append(w.taken, e.Body)
			}
			continue
		}
		bad = append(bad, map[string]any{"Id": e.ID, "SenderFault": trouble == "sender", "Code": "Code-" + trouble, "Message": "about " + trouble})
	}
	body, err := json.Marshal(map[string]any{"Successful": good, "Failed": bad})
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}}, Body: io.NopCloser(strings.NewReader(string(body)))}, nil
}

func over(w *wire) *sqsqueue.Queue {
	return sqsqueue.New(client("http://sqs.invalid", func(o *sqs.Options) { o.HTTPClient = &http.Client{Transport: w} }), "http://sqs.invalid/1/queue")
}

func numbered(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("%03d", i))
	}
	return all
}

func TestFaults(t *testing.T) {
	odd := func(body string) bool { return (body[2]-'0')%2 == 1 }
	for _, c := range []struct {
		name     string
		trouble  func(string, int) string
		fail     func(int) (int, error)
		requests int
		taken    int
		says     []string
	}{
		{"all well", nil, nil, 3, 25, nil},
		{"half refused at first", func(b string, n int) string {
			if odd(b) && n%2 == 1 {
				return "InternalError"
			}
			return ""
		}, nil, 6, 25, nil},
		{"one refused for good", func(b string, _ int) string {
			if b == "013" {
				return "sender"
			}
			return ""
		}, nil, 3, 24, []string{"Code-sender: about sender"}},
		{"one refused again and again", func(b string, _ int) string {
			if b == "013" {
				return "Busy"
			}
			return ""
		}, nil, 6, 24, []string{"after 4 tries", "Code-Busy"}},
		{"a throttle, and a broken connection", nil, func(n int) (int, error) {
			switch n {
			case 1:
				return 503, nil
			case 3:
				return 0, errors.New("connection reset by peer")
			}
			return 200, nil
		}, 5, 25, nil},
		{"no server", nil, func(int) (int, error) { return 0, errors.New("connection refused") }, 9, 0, []string{"connection refused"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wire{trouble: c.trouble, fail: c.fail}
				err := over(w).Send(t.Context(), numbered(25)...)
				if (err == nil) != (c.says == nil) {
					t.Errorf("error %v", err)
				}
				for _, s := range c.says {
					if !strings.Contains(err.Error(), s) {
						t.Errorf("%q is not in: %v", s, err)
					}
				}
				slices.Sort(w.taken)
				if len(slices.Compact(slices.Clone(w.taken))) != c.taken || len(w.batches) != c.requests {
					t.Errorf("%d messages taken in %d requests, want %d in %d", len(w.taken), len(w.batches), c.taken, c.requests)
				}
				for _, b := range w.batches {
					if len(b) > 10 {
						t.Errorf("a batch of %d", len(b))
					}
				}
			})
		})
	}
}

func TestSize(t *testing.T) {
	w := &wire{}
	var messages []string
	for i := range 7 {
		messages = append(messages, strings.Repeat(string(rune('a'+i)), 60<<10))
	}
	if err := over(w).Send(t.Context(), messages...); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, b := range w.batches {
		sizes = append(sizes, len(b))
	}
	if diff := cmp.Diff([]int{4, 3}, sizes); diff != "" {
		t.Error(diff)
	}
}

func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &wire{trouble: func(string, int) string { cancel(); return "Busy" }}
		if err := over(w).Send(ctx, numbered(25)...); !errors.Is(err, context.Canceled) || len(w.batches) != 1 {
			t.Errorf("error %v after %d requests", err, len(w.batches))
		}
	})
}
