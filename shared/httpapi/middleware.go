package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"time"

	"verdetto/shared/metrics"
)

// OriginSecretHeader carries the secret by which a request proves that it came through our own distribution.
const OriginSecretHeader = "X-Origin-Secret"

// viewerAddressHeader holds the caller's address and port as CloudFront saw them.
const viewerAddressHeader = "CloudFront-Viewer-Address"

// outer wraps what every request passes, whatever it asks for.
func (a *API) outer(h http.Handler) http.Handler {
	return a.log(a.recovered(a.origin(h)))
}

// seen remembers what was answered, and keeps every cache from keeping a problem.
type seen struct {
	http.ResponseWriter
	status int
}

func (s *seen) WriteHeader(status int) {
	if s.status == 0 {
		s.status = status
	}
	if status >= 400 {
		s.Header().Set("Cache-Control", "no-store")
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *seen) Write(b []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	return s.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (s *seen) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// log writes one line a request. It holds no query, no header and no address: nothing personal can be in it.
func (a *API) log(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.config.Data != "" {
			w.Header().Set("X-Data", a.config.Data)
		}
		begun := time.Now()
		s := &seen{ResponseWriter: w}
		h.ServeHTTP(s, r)
		ms := float64(time.Since(begun).Microseconds()) / 1000
		attrs := []slog.Attr{
			slog.String("method", known(r.Method)),
			slog.String("path", a.known(r.URL.Path)),
			slog.Int("status", s.status),
			slog.Float64("ms", ms),
		}
		attrs = append(attrs, a.metrics(r, s.status, ms)...)
		a.config.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", attrs...)
	})
}

// metrics are those of a request, for its line in the log. Only the latency is told
// apart by endpoint, which gives the number of requests with it: each combination is paid for.
func (a *API) metrics(r *http.Request, status int, ms float64) []slog.Attr {
	is := func(yes bool) float64 {
		if yes {
			return 1
		}
		return 0
	}
	return a.config.Metrics.Attrs(a.config.Now(),
		metrics.Metric{Name: "Requests", Unit: metrics.Count, Value: 1},
		metrics.Metric{Name: "Errors5xx", Unit: metrics.Count, Value: is(status >= 500)},
		metrics.Metric{Name: "Throttled429", Unit: metrics.Count, Value: is(status == http.StatusTooManyRequests)},
		metrics.Metric{Name: "LatencyMs", Unit: metrics.Milliseconds, Value: ms, By: []slog.Attr{slog.String("route", a.name(r))}},
	)
}

// name is that of the endpoint that a request is for.
func (a *API) name(r *http.Request) string {
	here, _ := a.at(canonical(r.URL.Path))
	for _, h := range here {
		if h.Method == r.Method || h.Method == http.MethodGet && r.Method == http.MethodHead {
			return h.Name
		}
	}
	return "unknown"
}

// known keeps made-up methods out of the log.
func known(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions, http.MethodPatch:
		return method
	}
	return "other"
}

// known keeps what callers write into paths, keys and addresses among it, out of the log.
func (a *API) known(path string) string {
	if _, ok := a.at(canonical(path)); ok {
		return path
	}
	return "unknown"
}

// recovered turns a panic into a 500 and a log entry with its stack.
func (a *API) recovered(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				a.config.Log.ErrorContext(r.Context(), "panic", "value", v, "stack", string(debug.Stack()))
				if s, ok := w.(*seen); !ok || s.status == 0 {
					Internal.Problem("Something went wrong on our side; it has been logged. Try again in a minute.").Write(w, r)
				}
			}
		}()
		h.ServeHTTP(w, r)
	})
}

// origin turns away whoever does not come through our distribution, where there is one.
func (a *API) origin(h http.Handler) http.Handler {
	if len(a.config.OriginSecrets) == 0 {
		return h
	}
	secrets := make([][sha256.Size]byte, len(a.config.OriginSecrets))
	for i, s := range a.config.OriginSecrets {
		secrets[i] = sha256.Sum256([]byte(s))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := sha256.Sum256([]byte(r.Header.Get(OriginSecretHeader)))
		ours := 0
		for i := range secrets {
			ours |= subtle.ConstantTimeCompare(secrets[i][:], given[:])
		}
		if ours == 0 {
			Forbidden.Problem("Call the service at its public address.").Write(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// viewer is the caller's address and port. Behind our distribution it is what
// CloudFront says, believed because origin has let the request pass; otherwise
// it is the connection's. No other header is ever looked at: callers write those.
func (a *API) viewer(r *http.Request) string {
	if len(a.config.OriginSecrets) > 0 {
		return r.Header.Get(viewerAddressHeader)
	}
	return r.RemoteAddr
}

// address reads ADDRESS:PORT, cut at the last colon: CloudFront writes IPv6 addresses without brackets.
func address(s string) netip.Addr {
	host, _, err := net.SplitHostPort(s)
	if err != nil {
		if i := strings.LastIndexByte(s, ':'); i >= 0 {
			host = s[:i]
		}
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}
