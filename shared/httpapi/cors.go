package httpapi

import (
	"net/http"
	"slices"
)

// exposed are the headers that a script in a browser may read.
const exposed = "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Plan, X-Cache, X-Data, ETag"

// cors lets pages of any site call the GET endpoints. No cookie is ever looked
// at, so there is nothing that another site could borrow.
func cors(w http.ResponseWriter, r *http.Request, methods []string) (answered bool) {
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
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
	return true
}
