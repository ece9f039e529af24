package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"verdetto/shared/runtime/metrics"
)

type responseRecorder struct {
	http.ResponseWriter
	status int
}

func (rec *responseRecorder) WriteHeader(status int) {
	if rec.status == 0 {
		rec.status = status
	}
	if status >= 400 {
		rec.Header().Set("Cache-Control", "no-store")
	}
	rec.ResponseWriter.WriteHeader(status)
}

func (rec *responseRecorder) Write(b []byte) (int, error) {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	return rec.ResponseWriter.Write(b)
}

func (rec *responseRecorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// log writes one line per request, without personal data: no query, no address, and of the headers
// only the request id.
func (a *API) log(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun := time.Now()
		rec := &responseRecorder{ResponseWriter: w}
		next.ServeHTTP(rec, r)
		took := time.Since(begun)
		ms := float64(took.Microseconds()) / 1000
		c := callOf(r.Context())
		found, status := c.match, rec.status
		if status >= http.StatusInternalServerError && c.hungUp() {
			status = hungUp
		}
		if a.config.Observe != nil {
			a.config.Observe(found.name(), normalizeMethod(r.Method), status, took)
		}
		attrs := []slog.Attr{
			slog.String("method", normalizeMethod(r.Method)),
			slog.String("path", logPath(found, r.URL.Path)),
			slog.String("route", found.name()),
			slog.Int("status", status),
			slog.Float64("ms", ms),
		}
		attrs = append(attrs, a.metrics(status)...)
		a.config.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", attrs...)
	})
}

const hungUp = 499

type requestLog struct{ slog.Handler }

// RequestLog returns a log that adds the request id to the lines of a request. Once the caller has
// disconnected, the log writes warnings and errors at level info.
func RequestLog(log *slog.Logger) *slog.Logger {
	if _, ok := log.Handler().(requestLog); ok {
		return log
	}
	return slog.New(requestLog{log.Handler()})
}

func (l requestLog) Handle(ctx context.Context, line slog.Record) error {
	c := callOf(ctx)
	if c.id != "" {
		line.AddAttrs(slog.String("requestId", c.id))
	}
	if line.Level > slog.LevelInfo && c.hungUp() {
		line.Level = slog.LevelInfo
	}
	return l.Handler.Handle(ctx, line)
}

func (l requestLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestLog{l.Handler.WithAttrs(attrs)}
}

func (l requestLog) WithGroup(name string) slog.Handler { return requestLog{l.Handler.WithGroup(name)} }

// normalizeMethod keeps text invented by callers out of the log.
func normalizeMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete,
		http.MethodOptions, http.MethodPatch:
		return method
	}
	return "other"
}

// logPath omits file names and unknown paths, which may hold keys or mail addresses.
func logPath(found match, path string) string {
	switch {
	case found.resource == nil:
		return "unknown"
	case found.file != "":
		return strings.TrimSuffix(path, found.file) + "{file}"
	}
	return path
}

func (a *API) metrics(status int) []slog.Attr {
	var counted metrics.Metric
	switch {
	case status == http.StatusTooManyRequests:
		counted = metrics.Metric{Name: "Throttled429", Unit: metrics.Count, Value: 1}
	case status >= 500 && status != http.StatusNotImplemented: // a feature that the service does not offer is no failure
		counted = metrics.Metric{Name: "Errors5xx", Unit: metrics.Count, Value: 1}
	default:
		return nil
	}
	return a.config.Metrics.Attrs(a.config.Now(), counted)
}
