// Package playmoney imitates a card processor and a blockchain node, for tests and demonstrations.
// Type Stripe serves Stripe's API, and type Node the JSON-RPC of a Solana node. Both types hold their
// state in memory and answer consistently, as the real services do. Except for base58, they are
// written only from the wire format, without the libraries that stripepay and solanapay use, so
// that a mistake of such a library is not repeated here.
package playmoney

import (
	"net/http"
	"sync"
)

// wrapped is an HTTP handler with optional middleware, for Stripe and Node to embed.
type wrapped struct {
	mu     sync.Mutex
	around func(http.Handler) http.Handler
}

// Wrap installs a middleware for all requests. It replaces that of an earlier call.
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
