package edge

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// TestCompress: a long text is compressed by the coding that the caller prefers.
func TestCompress(t *testing.T) {
	long := strings.Repeat("a fare of Milan to Lisbon. ", 400)
	for _, c := range []struct {
		name, kind, body, accepts, coding string
	}{
		{"JSON", "application/json", long, "gzip", "gzip"},
		{"a problem", "application/problem+json", long, "br", "br"},
		{"a page in a browser", "text/html; charset=utf-8", long, "gzip, deflate, br, zstd", "br"},
		{"a chart", "image/svg+xml", long, "br;q=0.9, gzip;q=0.5", "br"},
		{"a caller that prefers gzip", "application/json", long, "br;q=0.5, gzip", "gzip"},
		{"a caller that refuses brotli", "application/json", long, "BR; q=0, GZIP; q=0.1", "gzip"},
		{"a caller that prefers none", "application/json", long, "br;q=0.5, identity", ""},
		{"a caller with a wrong value", "application/json", long, "br;q=high, gzip", "gzip"},
		{"a caller of another coding", "application/json", long, "zstd", ""},
		{"a picture", "image/png", long, "br, gzip", ""},
		{"a stream of events", "text/event-stream", long, "br, gzip", ""},
		{"a few bytes", "application/json", "{}", "br, gzip", ""},
		{"a caller without the header", "application/json", long, "", ""},
		{"a caller that refuses gzip", "application/json", long, "gzip;q=0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				w.Header().Set("ETag", `"tag"`)
				_, _ = io.WriteString(w, c.body)
			}))
			w := ask(h, "GET", "/", "Accept-Encoding", c.accepts)
			tag := `"tag"`
			if c.coding != "" {
				tag = `W/"tag"`
				if w.Body.Len() > len(c.body)/4 {
					t.Errorf("%d bytes became %d", len(c.body), w.Body.Len())
				}
			}
			header := w.Header()
			got, err := io.ReadAll(plain(t, header.Get("Content-Encoding"), w.Body))
			if err != nil || string(got) != c.body {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if header.Get("Content-Encoding") != c.coding || header.Get("ETag") != tag ||
				header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("headers %v", header)
			}
		})
	}
}

// plain returns a reader of the text that was compressed.
func plain(t *testing.T, coding string, body io.Reader) io.Reader {
	t.Helper()
	switch coding {
	case "gzip":
		r, err := gzip.NewReader(body)
		if err != nil {
			t.Fatal(err)
		}
		return r
	case "br":
		return brotli.NewReader(body)
	}
	return body
}

// TestJitter: the length of a compressed answer varies with every word, and a long answer in many
// parts arrives whole.
func TestJitter(t *testing.T) {
	part := strings.Repeat("a fare of Milan to Lisbon. ", 40)
	for _, coding := range []string{"gzip", "br"} {
		h := compress(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, r.URL.Path)
			for range 100 {
				_, _ = io.WriteString(w, part)
			}
		}))
		lengths := map[int]bool{}
		for n := range 50 {
			path := fmt.Sprintf("/%02d", n)
			w := ask(h, "GET", path, "Accept-Encoding", coding)
			lengths[w.Body.Len()] = true
			got, err := io.ReadAll(plain(t, coding, w.Body))
			if err != nil || string(got) != path+strings.Repeat(part, 100) {
				t.Fatalf("%s: %d bytes, %v", coding, len(got), err)
			}
		}
		if len(lengths) < 15 {
			t.Errorf("%s: lengths %v", coding, lengths)
		}
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
	if w := ask(h, "GET", "/", "Accept-Encoding", "br"); !w.Flushed || w.Body.String() != "data: 1\n\n" {
		t.Errorf("flushed %v: %q", w.Flushed, w.Body)
	}
}
