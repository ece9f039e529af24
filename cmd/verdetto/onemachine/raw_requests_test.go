package onemachine

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/routes"
)

type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer func() {
		select {
		case l.more <- struct{}{}:
		default:
		}
	}()
	return l.text.Write(p)
}

func (l *lines) wait(t *testing.T, text string) string {
	t.Helper()
	for {
		l.mu.Lock()
		now := l.text.String()
		l.mu.Unlock()
		if strings.Contains(now, text) {
			return now
		}
		select {
		case <-l.more:
		case <-t.Context().Done():
			t.Fatalf("the log never held %q:\n%s", text, now)
		}
	}
}

type slow struct {
	store.Table
	asked chan struct{}
}

func (s *slow) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	if s.asked != nil && strings.HasPrefix(key.Partition, "CUSTOMER#") {
		s.asked <- struct{}{}
		<-ctx.Done()
		return store.Item{}, fmt.Errorf("%w: %w", store.ErrUnavailable, ctx.Err())
	}
	return s.Table.Get(ctx, key, read)
}

func onTheWire(t *testing.T, within times, slowly bool) (address string, log *lines, table *slow) {
	t.Helper()
	kept, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), time.Now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	table, log = &slow{Table: kept}, &lines{more: make(chan struct{}, 1)}
	if slowly {
		table.asked = make(chan struct{}, 1)
	}
	s, err := New(Options{
		Table: table, Source: sample.New(), Now: time.Now, Log: slog.New(slog.NewJSONHandler(log, nil)), Pepper: []byte("a pepper for tests, 32 characters"),
		Mail: t.TempDir(), BaseURL: "http://127.0.0.1:1", LocalURL: "http://127.0.0.1:1",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := s.server(within)
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return listener.Addr().String(), log, table
}

var patient = times{header: time.Minute, request: time.Minute, answer: time.Minute, idle: time.Minute}

func say(t *testing.T, address, text string) (status int, body string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, text); err == nil {
		_ = c.(*net.TCPConn).CloseWrite()
	}
	w, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, err.Error()
	}
	defer w.Body.Close()
	b, err := io.ReadAll(w.Body)
	if err != nil {
		return w.StatusCode, err.Error()
	}
	return w.StatusCode, string(b)
}

func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	address, log, _ := onTheWire(t, patient, false)
	asked := 0
	for _, r := range routes.Table {
		if r.Method != "POST" {
			continue
		}
		types := []string{"application/json"}
		if r.Form || r.Name == "alerts" || r.Name == "alerts-manage" {
			types = append(types, "application/x-www-form-urlencoded")
		}
		for _, kind := range types {
			head := "POST " + r.Path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: " + kind + "\r\n"
			for name, rest := range map[string]string{
				"a chunk whose length is none": "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
				"a chunk that breaks off":      "Transfer-Encoding: chunked\r\n\r\n20\r\n{}",
				"chunks without an end":        "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
				"a chunk that is too long":     "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n",
				"a chunk without its line end": "Transfer-Encoding: chunked\r\n\r\n2\r\n{}}}0\r\n\r\n",
				"a body that is too short":     "Content-Length: 50\r\n\r\n{}",
				"no body where one is said":    "Content-Length: 50\r\n\r\n",
			} {
				asked++
				if status, body := say(t, address, head+rest); status != 400 || !strings.Contains(body, "The body is incomplete") {
					t.Errorf("%s %s, %s: %d %.200s", r.Path, kind, name, status, body)
				}
			}
		}
	}
	if asked < 70 {
		t.Errorf("only %d requests were made", asked)
	}
	if text := log.wait(t, `"status":400`); strings.Contains(text, `"ERROR"`) || strings.Contains(text, `"status":5`) {
		t.Errorf("the log:\n%.2000s", text)
	}
}

func TestHangingUp(t *testing.T) {
	t.Parallel()
	address, log, table := onTheWire(t, patient, true)
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "GET /v1/analisi?origine=Milano&destinazione=Roma HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: vd_%s\r\n\r\n", strings.Repeat("A", 65))
	<-table.asked
	c.Close()
	text := log.wait(t, `"msg":"request"`)
	if strings.Contains(text, `"ERROR"`) || !strings.Contains(text, `"status":499`) || !strings.Contains(text, "a key could not be checked") {
		t.Errorf("the log:\n%s", text)
	}
}
