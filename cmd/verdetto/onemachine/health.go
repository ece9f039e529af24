package onemachine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/functions/refresh"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// TooOld is the age of the newest fares, in days, above which /readyz answers 503. The alarm
// StaleFares on AWS has the same limit.
const TooOld = Cycle + 2

const noFares = "There are no fares yet: the first refresh is under way, or has failed, and then the log says why."

const (
	foundFor = time.Second
	probeFor = 30 * time.Second
	// For the duration failedFor after a failed write to a store in a file, the service is not ready,
	// because small writes can succeed on a full disk.
	failedFor = time.Minute
	lookTime  = 2 * time.Second
)

// A Health checks the store at most once a second, however often callers ask.
type Health struct {
	fares    store.Fares
	now      func() time.Time
	system   func() time.Time // the machine's clock, even if now is simulated
	readOnly bool

	troubles func() []monitor.Trouble

	mu     sync.Mutex
	looked time.Time
	found  CheckResult
	probed time.Time
	failed error

	collected bool
}

type CheckResult struct {
	Days       float64 // negative: the store holds dates in the future
	Known      bool
	Reason     string // empty if the service is ready
	Collection *verdict.Collection
}

func NewHealth(table store.Table, now func() time.Time) *Health {
	return &Health{fares: store.Fares{Table: table}, now: now, system: time.Now}
}

func (o Options) health() *Health {
	h := NewHealth(o.Table, o.Now)
	h.troubles = o.Monitor.Troubles
	return h
}

func (h *Health) writes(ctx context.Context) error {
	if watched, ok := h.fares.Table.(interface{ WriteFailed() time.Time }); ok && h.system().Sub(watched.WriteFailed()) < failedFor {
		return store.ErrUnavailable
	}
	if !h.readOnly && h.system().Sub(h.probed) >= probeFor {
		h.probed, h.failed = h.system(), store.Probe(ctx, h.fares.Table)
	}
	return h.failed
}

func diskFull(troubles []monitor.Trouble) string {
	for _, t := range troubles {
		if t.Full != nil && t.Full() {
			return "The disk of the store is full, so " + t.Of + " failed: free some space."
		}
	}
	return ""
}

func (h *Health) Look(ctx context.Context) CheckResult {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.looked.IsZero() && h.system().Sub(h.looked) < foundFor {
		return h.found
	}
	// A caller who hangs up must not cancel the check, because other callers get the same result.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	var f CheckResult
	var err error
	f.Days, f.Known, err = refresh.Age(ctx, h.fares, h.now())
	switch {
	case err != nil:
		f.Reason = "The store cannot be read; the log says why."
	case !f.Known:
		f.Reason = noFares
	case f.Days < 0:
		f.Reason = fmt.Sprintf("The store holds dates %.0f days in the future: a clock is wrong, or was. Set this machine's clock right, and the next refresh repairs the store.", -f.Days)
	case f.Days > TooOld:
		f.Reason = fmt.Sprintf("The newest fares are %.1f days old, and should be at most %d: look in the log why refreshes fail or bring no fares, and whether this machine's clock is right.",
			f.Days, TooOld)
	}
	if f.Reason == "" && h.writes(ctx) != nil {
		f.Reason = "The store cannot be written to, so no call is counted and nothing is sold: look whether its disk is full. The log says more."
	}
	if f.Reason == "" && h.troubles != nil {
		f.Reason = diskFull(h.troubles())
	}
	if err == nil && !h.collected {
		most, collecting, err := refresh.Collection(ctx, h.fares, h.now())
		if h.collected = f.Known && err == nil && !collecting; collecting {
			f.Collection = &most
		}
	}
	h.looked, h.found = h.system(), f
	return f
}

// Handler answers /healthz and /readyz, and passes requests for other paths to next.
func (h *Health) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" && r.URL.Path != "/readyz" {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			httpapi.WrongMethod.Problem("This path answers GET, HEAD.").With("Allow", "GET, HEAD").Write(w, r)
			return
		}
		answer := map[string]any{"stato": "attivo"}
		if r.URL.Path == "/readyz" {
			found := h.Look(r.Context())
			if found.Reason != "" {
				p := httpapi.Unavailable.Problem(found.Reason).With("Retry-After", "30")
				if c := found.Collection; c != nil && !found.Known {
					r := p.Collecting(c).Raccolta
					p.Detail += " Collecting since " + r.Dal + ", first verdict about a route on " +
						r.PrimoVerdetto + " at the earliest."
				}
				p.Write(w, r)
				return
			}
			answer = map[string]any{"stato": "pronto", "etaTariffeGiorni": float64(int(found.Days*10)) / 10,
				"versione": httpapi.Version}
			if found.Collection != nil {
				answer["raccolta"] = httpapi.RaccoltaOf(found.Collection)
			}
			if h.troubles != nil {
				for _, t := range h.troubles() {
					answer["avviso"] = fmt.Sprintf("%s fails since %s; verdetto status says why.", strings.ToUpper(t.Of[:1])+t.Of[1:],
						t.Since.Format(time.RFC3339))
				}
			}
		}
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_ = json.NewEncoder(w).Encode(answer)
		}
	})
}
