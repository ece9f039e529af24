// Package playmoney imitates a card processor and a blockchain node, for tests and demonstrations.
// Package playmoney uses no third-party library except base58, so that tests can detect mistakes of
// the libraries in stripepay and solanapay.
package playmoney

import (
	"net/http"
	"sync"
)

type wrapped struct {
	mu     sync.Mutex
	around func(http.Handler) http.Handler
}

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
