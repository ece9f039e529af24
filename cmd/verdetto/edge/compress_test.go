package edge

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzhttp/writer"
)

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

func TestCompress_Vary(t *testing.T) {
	for _, named := range []string{"", "Authorization, Accept-Language", "Accept-Encoding"} {
		for _, accepts := range []string{"", "gzip", "br"} {
			h := compress(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if named != "" {
					w.Header().Set("Vary", named)
				}
				_, _ = io.WriteString(w, strings.Repeat("a fare ", 400))
			}))
			vary := strings.Join(ask(h, "GET", "/", "Accept-Encoding", accepts).Header().Values("Vary"), ", ")
			if !strings.HasPrefix(vary, named) || strings.Count(vary, "Accept-Encoding") != 1 {
				t.Errorf("Vary %q became %q for %q", named, vary, accepts)
			}
		}
	}
}

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

func TestCompressedOnce(t *testing.T) {
	compressions, create := 0, brotliFactory.New
	brotliFactory.New = func(to io.Writer, level int) writer.GzipWriter {
		compressions++
		return create(to, level)
	}
	t.Cleanup(func() { brotliFactory.New = create })
	s := &service{body: strings.Repeat(" a fare of Milan to Lisbon", 400)}
	h := Config{}.Handler(s, admitAll, time.Now)
	compressions = 0
	for _, c := range []struct{ method, accepts, coding string }{
		{"GET", "br", "br"}, {"GET", "gzip, br", "br"}, {"HEAD", "br", "br"}, {"GET", "gzip", "gzip"},
		{"GET", "gzip, zstd", "gzip"}, {"GET", "", ""},
	} {
		for range 10 {
			w := ask(h, c.method, trends, "Accept-Encoding", c.accepts)
			var body []byte
			var err error
			if c.method == "GET" {
				body, err = io.ReadAll(plain(t, c.coding, w.Body))
			}
			if err != nil || w.Header().Get("Content-Encoding") != c.coding || w.Header().Get("Vary") != "Accept-Encoding" ||
				c.method == "GET" && !strings.HasSuffix(string(body), s.body) {
				t.Fatalf("%v: %d bytes, %v: %v", c, len(body), err, w.Header())
			}
		}
	}
	if compressions != 1 || s.asked > 3 {
		t.Errorf("compressed %d times by brotli; the service was asked %d times", compressions, s.asked)
	}
}
