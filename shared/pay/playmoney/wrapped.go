// Package playmoney imitates a card processor and a node of a blockchain, for make run and for
// tests. Type Stripe serves Stripe's API, type Node the JSON-RPC of a Solana node. No money moves.
//
// Both hold their state in memory and answer consistently, as the real services do. They are
// written from the wire format alone, without the libraries of stripepay and solanapay. A mistake
// of a library is therefore not repeated here.
package playmoney

import (
	"net/http"
	"sync"
)

// wrapped is a handler with optional middleware.
type wrapped struct {
	mu     sync.Mutex
	around func(http.Handler) http.Handler
}

// Wrap installs a middleware for all requests. It replaces an earlier one.
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
