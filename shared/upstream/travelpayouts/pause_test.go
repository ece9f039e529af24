package travelpayouts_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
)

// direct sends requests to a handler without a connection, so that a test can run on virtual time.
type direct struct{ http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	recorder := httptest.NewRecorder()
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.ServeHTTP(recorder, r)
	}()
	select {
	case <-done:
		return recorder.Result(), r.Context().Err()
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func virtual(t *testing.T, rows []upstream.Row, perMinute int) (*upstreamtest.Server, *travelpayouts.Client) {
	t.Helper()
	server := upstreamtest.Detached(rows, time.Now)
	client, err := travelpayouts.New(travelpayouts.Config{
		Token: upstreamtest.Token, BaseURL: "http://upstream.test", Comparable: comparable,
		PerMinute: perMinute, HTTPClient: &http.Client{Transport: direct{server}, Timeout: 30 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	return server, client
}

func TestOneCallers429HoldsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := virtual(t, nil, 6000)
		server.Fail(upstreamtest.TooMany("Retry-After", "40"))
		began := time.Now()
		var callers sync.WaitGroup
		for range 20 {
			callers.Go(func() {
				if _, err := client.Fares(t.Context(), "MIL", time.Time{}, time.Now()); err != nil {
					t.Error(err)
				}
			})
		}
		callers.Wait()
		early := 0
		for _, call := range server.Calls() {
			if call.At.Sub(began) < 40*time.Second {
				early++
			}
		}
		if early != 1 || len(server.Calls()) != 21 {
			t.Errorf("%d calls during the hold, %d in all; want 1 and 21", early, len(server.Calls()))
		}
	})
}

func TestSlowAnswersAndImpatientCallers(t *testing.T) {
	rows := []upstream.Row{row("BUH", 20, 30, time.Hour)}
	t.Run("a timeout is tried again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server, client := virtual(t, rows, 300)
			server.Fail(upstreamtest.Slow(make(chan struct{})))
			if _, err := client.Fares(t.Context(), "MIL", time.Time{}, time.Now()); err != nil ||
				len(server.Calls()) != 2 {
				t.Errorf("error %v after %d calls; want none after 2", err, len(server.Calls()))
			}
		})
	})
	t.Run("timeouts for ever are an end", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			server, client := virtual(t, rows, 300)
			for range 9 {
				server.Fail(upstreamtest.Slow(make(chan struct{})))
			}
			began := time.Now()
			_, err := client.Fares(t.Context(), "MIL", time.Time{}, time.Now())
			if !errors.Is(err, upstream.ErrUnavailable) || time.Since(began) != 5*30*time.Second+15*time.Second {
				t.Errorf("error %v after %v", err, time.Since(began))
			}
		})
	})
	for name, fault := range map[string]upstreamtest.Fault{
		"a caller gives up on a slow answer":   upstreamtest.Slow(make(chan struct{})),
		"a caller gives up during a hold":      upstreamtest.TooMany("Retry-After", "60"),
		"a caller gives up during a back-off":  upstreamtest.Broken(500),
		"a caller had given up before he came": {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if fault.Until != nil {
					fault = upstreamtest.Slow(make(chan struct{})) // a channel belongs to one synctest bubble
				}
				server, client := virtual(t, nil, 300)
				patience := 500 * time.Millisecond
				if fault.Status == 0 && fault.Until == nil {
					patience = 0
				}
				server.Fail(fault)
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				began := time.Now()
				_, err := client.Fares(ctx, "MIL", time.Time{}, time.Now())
				if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, upstream.ErrUnavailable) {
					t.Errorf("error %v", err)
				}
				if took := time.Since(began); took != patience {
					t.Errorf("returned after %v", took)
				}
			})
		})
	}
}
