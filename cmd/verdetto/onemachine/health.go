package onemachine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
)

// TooOld is how many days ago half of the origins may have been asked for: a cycle
// that is two days late. On AWS the alarm StaleFares begins there.
const TooOld = Cycle + 2

const (
	foundFor  = time.Second      // how long what was found is told again: who asks often costs no more
	probeFor  = 30 * time.Second // so often a write is tried, however often anybody asks
	failedFor = time.Minute      // for so long a write that failed counts: small ones may succeed on a disk that is full
	lookTime  = 2 * time.Second  // how long the store may take
)

// Health says whether the service works. It reads the store at most once a second, and
// writes to it, where it may, at most once in probeFor.
type Health struct {
	fares    store.Fares
	now      func() time.Time
	system   func() time.Time // time.Now, but for tests
	readOnly bool             // nothing is written to find out whether that works

	mu     sync.Mutex
	looked time.Time
	found  Found
	probed time.Time
	failed error // of the last write that was tried
}

// Found is how the service is.
type Found struct {
	Days   float64 // how old fares are, as refresh.Age has it; negative: the store holds dates in the future
	Known  bool    // something was refreshed
	Reason string  // why it is not ready, and what to do; empty: it is
}

// NewHealth looks at a table.
func NewHealth(table store.Table, now func() time.Time) *Health {
	return &Health{fares: store.Fares{Table: table}, now: now, system: time.Now}
}

// writes fails if the store cannot be written to.
func (h *Health) writes(ctx context.Context) error {
	if watched, ok := h.fares.Table.(interface{ WriteFailed() time.Time }); ok && h.system().Sub(watched.WriteFailed()) < failedFor {
		return store.ErrUnavailable
	}
	if !h.readOnly && h.system().Sub(h.probed) >= probeFor {
		h.probed, h.failed = h.system(), store.Probe(ctx, h.fares.Table)
	}
	return h.failed
}

// Look says how the service is.
func (h *Health) Look(ctx context.Context) Found {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.looked.IsZero() && h.system().Sub(h.looked) < foundFor {
		return h.found
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime) // who hangs up does not decide for others
	defer cancel()
	var f Found
	var err error
	f.Days, f.Known, err = refresh.Age(ctx, h.fares, h.now())
	switch {
	case err != nil:
		f.Reason = "The store cannot be read; the log says why."
	case !f.Known:
		f.Reason = "There are no fares yet: the first refresh is under way, or has failed, and then the log says why."
	case f.Days < 0:
		f.Reason = fmt.Sprintf("The store holds dates %.0f days in the future: a clock is wrong, or was. Set this machine's clock right, and the next refresh repairs the store.", -f.Days)
	case f.Days > TooOld:
		f.Reason = fmt.Sprintf("Fares are %.1f days old, and should be at most %d: look in the log why refreshes fail.",
			f.Days, TooOld)
	}
	if f.Reason == "" && h.writes(ctx) != nil {
		f.Reason = "The store cannot be written to, so no call is counted and nothing is sold: look whether its disk is full. The log says more."
	}
	h.looked, h.found = h.system(), f
	return f
}

// Handler answers at /healthz while the process lives, and at /readyz whether what
// it answers is to be relied on; everything else is for next. On AWS the functions
// answer the first by themselves, and alarms watch the rest.
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
				httpapi.Unavailable.Problem(found.Reason).With("Retry-After", "30").Write(w, r)
				return
			}
			answer = map[string]any{"stato": "pronto", "etaTariffeGiorni": float64(int(found.Days*10)) / 10}
		}
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			_ = json.NewEncoder(w).Encode(answer) // the caller has gone: nobody is left to tell
		}
	})
}
