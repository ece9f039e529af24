package edge

import (
	"encoding/binary"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzhttp/writer"
)

// compressible contains no event streams, because each event must arrive at once.
var compressible = []string{
	"text/html", "text/plain", "text/css", "text/javascript", "application/json", "application/problem+json",
	"image/svg+xml",
}

const (
	worthIt = 1024 // in bytes
	// Up to jitter random bytes are added, because the length of a compressed page could otherwise reveal a secret in
	// the page.
	jitter = 32
)

const brotliCoding, gzipCoding = "br", "gzip"

func compress(next http.Handler) http.Handler {
	minSize, types := gzhttp.MinSize(worthIt), gzhttp.ContentTypes(compressible)
	blurred, onlyOne := gzhttp.RandomJitter(jitter, 0, false), gzhttp.EnableZstd(false)
	byGzip, err := gzhttp.NewWrapper(minSize, types, blurred, onlyOne)
	if err != nil {
		panic("edge: " + err.Error())
	}
	byBrotli, err := gzhttp.NewWrapper(minSize, types, blurred, onlyOne,
		gzhttp.CompressionLevel(brotliQuality), gzhttp.Implementation(brotliFactory))
	if err != nil {
		panic("edge: " + err.Error())
	}
	handlers := map[string]http.Handler{"": byGzip(next), gzipCoding: byGzip(next), brotliCoding: byBrotli(next)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		coding := codingFor(r)
		r = r.WithContext(r.Context()) // a copy, because the header of the caller's request must not change
		r.Header = maps.Clone(r.Header)
		r.Header.Del("Accept-Encoding")
		if coding != "" {
			r.Header.Set("Accept-Encoding", gzipCoding)
		}
		handlers[coding].ServeHTTP(&compressed{ResponseWriter: w, coding: coding}, r)
	})
}

func codingFor(r *http.Request) string {
	return negotiate(strings.Join(r.Header.Values("Accept-Encoding"), ","))
}

func negotiate(accepted string) (coding string) {
	best := 0.0
	quality := map[string]float64{}
	for part := range strings.SplitSeq(accepted, ",") {
		name, parameters, _ := strings.Cut(part, ";")
		q := 1.0
		if _, value, ok := strings.Cut(parameters, "="); ok {
			var err error
			if q, err = strconv.ParseFloat(strings.TrimSpace(value), 64); err != nil {
				continue
			}
		}
		quality[strings.ToLower(strings.TrimSpace(name))] = q
	}
	for _, name := range []string{brotliCoding, gzipCoding, "identity"} {
		if q := quality[name]; q > best {
			coding, best = name, q
		}
	}
	if coding == "identity" {
		return ""
	}
	return coding
}

// A strong ETag names exact bytes, so compressed makes the ETag of a compressed answer weak.
type compressed struct {
	http.ResponseWriter
	coding string
	begun  bool
}

func (w *compressed) WriteHeader(status int) {
	w.begun = w.begun || status >= http.StatusOK
	// gzhttp adds Accept-Encoding to Vary before the handler runs, but the handler may replace Vary.
	if h := w.Header(); !strings.Contains(strings.Join(h.Values("Vary"), ","), "Accept-Encoding") {
		h.Add("Vary", "Accept-Encoding")
	}
	if h := w.Header(); h.Get("Content-Encoding") == gzipCoding {
		h.Set("Content-Encoding", w.coding)
		if tag := h.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
			h.Set("ETag", "W/"+tag)
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *compressed) Write(b []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

func (w *compressed) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *compressed) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

const brotliQuality = 5

var brotliWriters = sync.Pool{New: func() any { return brotli.NewWriterLevel(nil, brotliQuality) }}

// brotliFactory makes gzhttp write brotli instead of gzip. The type compressed then corrects the
// Content-Encoding.
var brotliFactory = writer.GzipWriterFactory{
	Levels: func() (low, high int) { return brotliQuality, brotliQuality },
	New: func(to io.Writer, _ int) writer.GzipWriter {
		w := brotliWriters.Get().(*brotli.Writer)
		w.Reset(to)
		return &brotliWriter{Writer: w, to: to}
	},
}

type brotliWriter struct {
	*brotli.Writer
	to     io.Writer
	jitter string
}

// SetHeader receives the jitter, which gzip stores as a comment.
func (w *brotliWriter) SetHeader(h writer.Header) { w.jitter = h.Comment }

func (w *brotliWriter) Write(b []byte) (int, error) {
	if w.jitter != "" {
		// A metadata block must begin at a whole byte, as it does after a flush.
		if err := w.Flush(); err != nil {
			return 0, err
		}
		if _, err := w.to.Write(metadata(w.jitter)); err != nil {
			return 0, err
		}
		w.jitter = ""
	}
	return w.Writer.Write(b)
}

// metadata returns a block that readers skip (RFC 7932, section 9.2). text has 1 to 256 bytes.
func metadata(text string) []byte {
	const notLast, noNibbles, oneLengthByte = 0, 3 << 1, 1 << 4
	head := binary.LittleEndian.AppendUint16(nil, uint16(notLast|noNibbles|oneLengthByte|(len(text)-1)<<6))
	return append(head, text...)
}

func (w *brotliWriter) Close() error {
	err := w.Writer.Close()
	brotliWriters.Put(w.Writer)
	w.Writer = nil
	return err
}
