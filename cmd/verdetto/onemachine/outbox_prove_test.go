package onemachine_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/apikey"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/upstream/sample"
)

func outboxService(t *testing.T, delay func() time.Duration, known int) (service *onemachine.Service, table store.Table, mails func() int) {
	t.Helper()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = table.Close() })
	folder := filepath.Join(t.TempDir(), "mail")
	service = fixture.New(t, onemachine.Options{
		Table: table, Source: sample.New(), Now: time.Now, Log: slog.New(slog.DiscardHandler), Pepper: []byte(fixture.Pepper),
		Mail: folder, BaseURL: fixture.LocalURL, LocalURL: fixture.LocalURL, JobDelay: delay,
	})
	until := time.Now().AddDate(0, 1, 0)
	for n := range known {
		if err := service.Pro.Keys.Change(t.Context(), apikey.CustomerIDOf(service.Pro.Pepper, fmt.Sprintf("known%d@example.com", n)), func(c *store.Customer) error {
			c.Until = until
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return service, table, func() int {
		all, err := maildir.Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
}

func TestProveRecoveryTellsNothingAfterwards(t *testing.T) {
	const pairs, rounds = 1000, 3
	atOnce := 0.0
	for n := 0; n < rounds && atOnce < 0.57; n++ {
		atOnce = max(atOnce, areaUnderCurve(t, 300, nil))
		t.Logf("jobs begin at once: area %.3f over 300 pairs", atOnce)
	}
	if atOnce < 0.57 {
		t.Errorf("nothing is proved: with jobs that begin at once the area is %.3f", atOnce)
	}
	for range rounds {
		area := areaUnderCurve(t, pairs, store.RandomDelay)
		if t.Logf("jobs begin after 1 to 10 s: area %.3f over %d pairs", area, pairs); area > 0.47 && area < 0.53 {
			return
		}
	}
	t.Errorf("the times of three calls tell who has a plan")
}

// areaUnderCurve estimates the probability that the calls after a recovery take longer for an
// address with a plan than for one without: 0.5 if times reveal nothing.
func areaUnderCurve(t *testing.T, pairs int, delay func() time.Duration) float64 {
	t.Helper()
	service, _, _ := outboxService(t, delay, pairs)
	ctx, stop := context.WithCancel(t.Context())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if delay == nil {
		service.Pro.SignalWorker = func() { go func() { _, _ = service.Pro.Work(ctx) }() }
	}
	ended := make(chan error)
	go func() { ended <- service.Serve(ctx, listener) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	call := func(client *http.Client, method, path, body string, want int) {
		r, err := http.NewRequestWithContext(ctx, method, "http://"+listener.Addr().String()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Fatalf("%s %s: %s", method, path, answer.Status)
		}
	}
	times := map[string][]time.Duration{}
	for n := range pairs {
		for turn := range 2 {
			kind := []string{"known", "unknown"}[(turn+n)%2]
			caller := 2*n + turn // each caller has an IP address of its own, so that no quota is exceeded
			dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 1, byte(caller>>8), byte(caller))}}
			transport := &http.Transport{DialContext: dialer.DialContext}
			client := &http.Client{Transport: transport}
			call(client, "POST", "/v1/pro/recupera", fmt.Sprintf(`{"email":"%s%d@example.com"}`, kind, n), http.StatusAccepted)
			begun := time.Now()
			for range 3 {
				call(client, "GET", "/v1/pro/recupera", "", http.StatusOK)
			}
			times[kind] = append(times[kind], time.Since(begun))
			transport.CloseIdleConnections()
		}
	}
	longer := 0.0
	for _, a := range times["known"] {
		for _, b := range times["unknown"] {
			switch {
			case a > b:
				longer++
			case a == b:
				longer += 0.5
			}
		}
	}
	return longer / float64(pairs*pairs)
}
