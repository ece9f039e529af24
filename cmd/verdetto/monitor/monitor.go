// Package monitor reports on one process to its operator: metrics for Prometheus, and the last
// faults of the log. No metric holds data of a caller. Start reading at New.
package monitor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/web/httpapi"
)

// Monitor is safe for concurrent use.
type Monitor struct {
	registry     *prometheus.Registry
	requests     *prometheus.CounterVec
	durations    *prometheus.HistogramVec
	refreshes    *prometheus.CounterVec
	answers      *prometheus.CounterVec
	observations prometheus.Counter
	mails        *prometheus.CounterVec
	lines        *prometheus.CounterVec
	failing      *prometheus.GaugeVec
	sent         atomic.Int64
	// Ends is when the certificate of the public URL ends, in Unix seconds, or 0.
	Ends atomic.Int64

	mu       sync.Mutex
	faults   []Fault
	troubles map[string]Trouble
	well     time.Time
}

// buckets are upper bounds in seconds.
var buckets = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}

func New() *Monitor {
	m := &Monitor{registry: prometheus.NewRegistry(), troubles: map[string]Trouble{}}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "verdetto", Name: name, Help: help}, labels)
		m.registry.MustRegister(c)
		return c
	}
	m.requests = counter("http_requests_total", "Requests by endpoint and status; 429 is a caller over a cap.", "route",
		"method", "status")
	m.refreshes = counter("refreshes_total", "Refreshes that ended: discovery of routes, and asking for departures.",
		"kind", "outcome")
	m.answers = counter("refresh_asked_total", "What refreshes asked the fare source for: origins of discovery, series of departures.", "kind", "outcome")
	m.mails = counter("mails_total", "Mails by kind and by what the carrier said.", "kind", "outcome")
	m.lines = counter("log_lines_total", "Lines of the log by level.", "level")
	m.failing = prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "verdetto", Name: "trouble",
		Help: "1 for each thing that fails now; verdetto status says why and what to do."}, []string{"of"})
	m.observations = counter("observations_total",
		"Fares that refreshes found and had not seen before.").WithLabelValues()
	m.durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "verdetto",
		Name: "http_request_duration_seconds", Help: "How long answers took to be made.", Buckets: buckets},
		[]string{"route"})
	m.registry.MustRegister(buildInfo(), m.failing, m.durations, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func buildInfo() prometheus.Collector {
	info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "verdetto", Name: "build_info",
		Help: "1, with the version and the commit of the program."}, []string{"version", "commit"})
	info.WithLabelValues(httpapi.Version, httpapi.BuiltFrom()).Set(1)
	return info
}

func (m *Monitor) Request(route, method string, status int, took time.Duration) {
	if m == nil {
		return
	}
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(route).Observe(took.Seconds())
}

func (m *Monitor) Refreshed(kind string, asked, failed, left, found int, err error) {
	if m == nil {
		return
	}
	outcome := "ok"
	if err != nil || failed > 0 {
		outcome = "failed"
	}
	m.refreshes.WithLabelValues(kind, outcome).Inc()
	for outcome, n := range map[string]int{"asked": asked, "failed": failed, "left": left} {
		m.answers.WithLabelValues(kind, outcome).Add(float64(n))
	}
	m.observations.Add(float64(found))
}

// If read returns false, a scrape omits the metric.
func (m *Monitor) Gauge(name, help string, read func() (value float64, ok bool)) {
	m.registry.MustRegister(gauge{prometheus.NewDesc("verdetto_"+name, help, nil, nil), read})
}

type gauge struct {
	about *prometheus.Desc
	read  func() (float64, bool)
}

func (g gauge) Describe(to chan<- *prometheus.Desc) { to <- g.about }

func (g gauge) Collect(to chan<- prometheus.Metric) {
	if value, ok := g.read(); ok {
		to <- prometheus.MustNewConstMetric(g.about, prometheus.GaugeValue, value)
	}
}

func (m *Monitor) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

func (m *Monitor) AddSent(n int) {
	if m != nil {
		m.sent.Add(int64(n))
	}
}

func (m *Monitor) Sent() int64 { return m.sent.Load() }

func (m *Monitor) Mail(next mail.Sender, watch func(error)) mail.Sender {
	if m == nil {
		return next
	}
	return carrier{next, m, watch}
}

type carrier struct {
	next  mail.Sender
	m     *Monitor
	watch func(error)
}

func (c carrier) Send(ctx context.Context, message mail.Message) error {
	err := c.next.Send(ctx, message)
	outcome := "sent"
	switch {
	case errors.Is(err, mail.ErrRefused):
		outcome = "refused"
	case err != nil:
		outcome = "failed"
	}
	c.m.mails.WithLabelValues(message.Tag, outcome).Inc()
	c.watch(err)
	return err
}

// Trouble is something that fails until its cause is removed.
type Trouble struct {
	Of    string    `json:"of"` // what fails, such as "the refresh of routes"
	Since time.Time `json:"since"`
	Error string    `json:"error"`
	Todo  string    `json:"todo"`

	Full func() bool `json:"-"` // reports whether the disk is still full; may be nil
}

func (t Trouble) String() string {
	return fmt.Sprintf("%s fails: %s. %s.", strings.ToUpper(t.Of[:1])+t.Of[1:], strings.TrimRight(t.Error, "."),
		strings.TrimRight(t.Todo, "."))
}

// Troubled returns true if t.Of did not fail before, or failed for another reason.
func (m *Monitor) Troubled(t Trouble) (news bool) {
	if m == nil {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t.Since = t.Since.UTC().Truncate(time.Second)
	known, ok := m.troubles[t.Of]
	if ok {
		t.Since = known.Since
	}
	m.troubles[t.Of], m.well = t, time.Time{}
	m.failing.WithLabelValues(t.Of).Set(1)
	return known.Error != t.Error
}

func (m *Monitor) Resolved(what string) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.troubles[what]
	delete(m.troubles, what)
	m.failing.DeleteLabelValues(what)
	return ok
}

// Well returns since when all is well, or when the oldest failure began.
func (m *Monitor) Well(now time.Time) time.Time {
	if troubles := m.Troubles(); len(troubles) > 0 {
		return troubles[0].Since
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.well.IsZero() {
		m.well = now.UTC().Truncate(time.Second)
	}
	return m.well
}

func (m *Monitor) Troubles() []Trouble {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.SortedFunc(maps.Values(m.troubles), func(a, b Trouble) int { return a.Since.Compare(b.Since) })
}

type Fault struct {
	At      time.Time `json:"at"`
	First   time.Time `json:"first"`
	Count   int       `json:"count"`
	Level   string    `json:"level"`
	Message string    `json:"message"`
	Error   string    `json:"error,omitempty"`
}

const maxFaults = 20

func (m *Monitor) Faults() []Fault {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	newest := make([]Fault, 0, len(m.faults))
	for i := len(m.faults) - 1; i >= 0; i-- {
		newest = append(newest, m.faults[i])
	}
	return newest
}

func (m *Monitor) Log(next slog.Handler) slog.Handler { return logged{next, m} }

type logged struct {
	slog.Handler
	m *Monitor
}

func (l logged) Handle(ctx context.Context, line slog.Record) error {
	l.m.lines.WithLabelValues(line.Level.String()).Inc()
	if line.Level >= slog.LevelWarn {
		f := Fault{At: line.Time.UTC().Truncate(time.Second), Level: line.Level.String(), Message: line.Message}
		line.Attrs(func(a slog.Attr) bool {
			if a.Key == "error" {
				f.Error = a.Value.String()
			}
			return true
		})
		l.m.note(f)
	}
	return l.Handler.Handle(ctx, line)
}

func (m *Monitor) note(f Fault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f.First, f.Count = f.At, 1
	if i := slices.IndexFunc(m.faults, func(g Fault) bool {
		return g.Level == f.Level && g.Message == f.Message && g.Error == f.Error
	}); i >= 0 {
		f.First, f.Count = m.faults[i].First, m.faults[i].Count+1
		m.faults = slices.Delete(m.faults, i, i+1)
	} else if len(m.faults) == maxFaults {
		m.faults = m.faults[1:]
	}
	m.faults = append(m.faults, f)
}

func (l logged) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logged{l.Handler.WithAttrs(attrs), l.m}
}

func (l logged) WithGroup(name string) slog.Handler { return logged{l.Handler.WithGroup(name), l.m} }
