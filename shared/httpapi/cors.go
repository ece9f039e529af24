package httpapi

import (
	"net/http"
	"slices"
)

// exposed are the headers that a script in a browser may read.
const exposed = "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Plan, X-Cache, X-Data, ETag"

// agentHeaders are those that a client of the Model Context Protocol sends.
const agentHeaders = ", Content-Type, Accept, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-Id"

// cors lets pages of any site call the GET endpoints, and post to those that
// are open to any site. No cookie is ever looked at, so there is nothing that
// another site could borrow.
func cors(w http.ResponseWriter, r *http.Request, methods []string, anySite bool) (answered bool) {
	if !slices.Contains(methods, http.MethodGet) {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", exposed)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD")
	h.Set("Access-Control-Allow-Headers", KeyHeader+", If-None-Match")
	if anySite {
		h.Set("Access-Control-Allow-Methods", "POST")
		h.Set("Access-Control-Allow-Headers", KeyHeader+agentHeaders)
	}
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
	return true
}
