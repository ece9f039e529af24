package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"verdetto/shared/runtime/metrics"
)

// responseRecorder remembers the status of an answer, and keeps every cache from keeping a problem.
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

// Unwrap lets http.ResponseController reach the connection.
func (rec *responseRecorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// log writes one line a request. It holds no query, no header and no address: nothing personal can be in it.
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

// hungUp is the status in the log of a call whose caller did not wait for the answer. It is sent to nobody.
const hungUp = 499

// requestLog is a log whose lines name the request that they are about, and in
// which it is no error of ours that a caller has hung up in the middle of one.
type requestLog struct{ slog.Handler }

// RequestLog makes a log for those who answer requests.
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

// normalizeMethod keeps made-up methods out of the log.
func normalizeMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete,
		http.MethodOptions, http.MethodPatch:
		return method
	}
	return "other"
}

// logPath keeps what callers write into paths, keys and addresses among it, out
// of the log: only paths of endpoints are in it, and of files no names.
func logPath(found match, path string) string {
	switch {
	case found.resource == nil:
		return "unknown"
	case found.file != "":
		return strings.TrimSuffix(path, found.file) + "{file}"
	}
	return path
}

// metrics are those of a request, for its line in the log, which also has its route and its time.
func (a *API) metrics(status int) []slog.Attr {
	count := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	all := []metrics.Metric{
		metrics.Metric{Name: "Errors5xx", Unit: metrics.Count,
			Value: count(status >= 500 && status != http.StatusNotImplemented)},
		metrics.Metric{Name: "Throttled429", Unit: metrics.Count, Value: count(status == http.StatusTooManyRequests)},
	}
	if status == http.StatusNotImplemented { // asked for what there cannot be: no failure of ours
		all = append(all, metrics.Metric{Name: "Absent501", Unit: metrics.Count, Value: 1})
	}
	return a.config.Metrics.Attrs(a.config.Now(), all...)
}
