// Package playmoney stands in for a card processor and for a node of a blockchain, under make run
// and in tests: Stripe speaks the wire of Stripe's API, Node that of a Solana node. No money moves.
//
// Both hold their state in memory and tell the truth about it, as the real ones do.
// They are written from the wire alone, without the libraries that the adapters use,
// so that both sides cannot be wrong in the same way.
package playmoney

import (
	"net/http"
	"sync"
)

// wrapped is a handler that others can stand in front of.
type wrapped struct {
	mu     sync.Mutex
	around func(http.Handler) http.Handler
}

// Wrap has all requests pass through a handler around this one.
func (h *wrapped) Wrap(around func(http.Handler) http.Handler) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.around = around
}

func (h *wrapped) serve(w http.ResponseWriter, r *http.Request, handler http.Handler) {
	h.mu.Lock()
	around := h.around
	h.mu.Unlock()
	if around != nil {
		handler = around(handler)
	}
	handler.ServeHTTP(w, r)
}
