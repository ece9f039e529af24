package httpapi

import (
	"net/http"
	"slices"
)

const exposedHeaders = "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, " +
	"Retry-After, X-Plan, X-Cache, X-Data, X-Request-Id, ETag"

const agentHeaders = ", Content-Type, Accept, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-Id"

// cors lets scripts of any site call GET endpoints, and POST endpoints with CrossOriginPOST. The
// API reads no cookies, so a script on another site cannot act as the user.
func (a *API) cors(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := callOf(r.Context()).resource
		if !slices.Contains(at.methods, http.MethodGet) {
			next.ServeHTTP(w, r)
			return
		}
		letPagesRead(w.Header())
		if at.sold {
			w.Header().Set("Access-Control-Expose-Headers", exposedHeaders+", PAYMENT-REQUIRED, PAYMENT-RESPONSE")
		}
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			preflight(w, at)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func letPagesRead(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", exposedHeaders)
}

func preflight(w http.ResponseWriter, at *resource) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, HEAD")
	h.Set("Access-Control-Allow-Headers", KeyHeader+", Authorization, If-None-Match")
	if at.sold {
		h.Set("Access-Control-Allow-Headers", KeyHeader+", Authorization, PAYMENT-SIGNATURE")
	}
	if at.crossOriginPOST {
		h.Set("Access-Control-Allow-Methods", "POST")
		h.Set("Access-Control-Allow-Headers", KeyHeader+", Authorization"+agentHeaders)
	}
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}
