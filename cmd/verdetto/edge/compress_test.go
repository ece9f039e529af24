package edge

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestCompress(t *testing.T) {
	long := strings.Repeat("a fare of Milan to Lisbon. ", 400)
	for _, c := range []struct {
		name, kind, body, accepts string
		compressed                bool
	}{
		{"JSON", "application/json", long, "gzip, br", true},
		{"a problem", "application/problem+json", long, "gzip", true},
		{"a page", "text/html; charset=utf-8", long, "gzip", true},
		{"a chart", "image/svg+xml", long, "gzip", true},
		{"a picture", "image/png", long, "gzip", false},
		{"a stream of events", "text/event-stream", long, "gzip", false},
		{"a few bytes", "application/json", "{}", "gzip", false},
		{"who does not take it", "application/json", long, "", false},
		{"who refuses it", "application/json", long, "gzip;q=0", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				w.Header().Set("ETag", `"tag"`)
				_, _ = io.WriteString(w, c.body)
			}))
			w := ask(h, "GET", "/", "Accept-Encoding", c.accepts)
			var body io.Reader = w.Body
			tag := `"tag"`
			if c.compressed {
				tag = `W/"tag"`
				if w.Body.Len() > len(c.body)/4 {
					t.Errorf("%d bytes became %d", len(c.body), w.Body.Len())
				}
				var err error
				if body, err = gzip.NewReader(w.Body); err != nil {
					t.Fatal(err)
				}
			}
			got, err := io.ReadAll(body)
			if err != nil || string(got) != c.body {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if h := w.Header(); (h.Get("Content-Encoding") == "gzip") != c.compressed || h.Get("ETag") != tag || c.kind != "image/png" && c.kind != "text/event-stream" && !strings.Contains(h.Get("Vary"), "Accept-Encoding") {
				t.Errorf("headers %v", h)
			}
		})
	}
}

// TestFlushed: when a handler flushes, the compressor sends the bytes written so far at once.
func TestFlushed(t *testing.T) {
	h := compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
	}))
	if w := ask(h, "GET", "/", "Accept-Encoding", "gzip"); !w.Flushed || w.Body.String() != "data: 1\n\n" {
		t.Errorf("flushed %v: %q", w.Flushed, w.Body)
	}
}
