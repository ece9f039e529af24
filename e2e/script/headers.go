package script

import (
	"fmt"
	"maps"
	"net/http"
	"strings"

	"verdetto/shared/web/routes"
)

func headerFaults(r routes.Route, status int, h http.Header, keyed bool) (faults []string) {
	wrong := func(format string, values ...any) { faults = append(faults, fmt.Sprintf(format, values...)) }
	control := h.Get("Cache-Control")
	pro := keyed && r.Keyed()
	switch {
	case status >= 400 && control != "no-store":
		wrong("a problem may be kept: %q", control)
	case pro && strings.Contains(control, "public"):
		wrong("what is for a key is public: %q", control)
	case pro && control != "no-store" && !strings.HasPrefix(h.Get("Vary"), "X-Api-Key, Authorization"):
		wrong("what is for a key may be kept (%q), and varies with %q", control, h.Get("Vary"))
	case r.Keyed() && strings.Contains(control, "s-maxage") && h.Get("Vary") != "X-Api-Key, Authorization":
		wrong("it is shared (%q) and varies with %q", control, h.Get("Vary"))
	case status < 400 && r.Edge == (routes.Edge{}) && strings.Contains(control, "s-maxage"):
		wrong("the table does not let it be shared: %q", control)
	}
	if status >= 500 { // perhaps the call was not counted
		return faults
	}
	if (h.Get("X-Plan") == "pro") != (pro && status != http.StatusUnauthorized) {
		wrong("X-Plan is %q", h.Get("X-Plan"))
	}

	var policy, name string
	var q, w, left, seconds int64
	if h.Get("X-RateLimit-Limit") == "" {
		if h.Get("RateLimit") != "" || h.Get("RateLimit-Policy") != "" {
			wrong("RateLimit %q without X-RateLimit-Limit", h.Get("RateLimit"))
		}
		emptyForm := r.Name == "home" // the start page without a question counts no call
		if status < 400 && !emptyForm && (pro && r.Pro != (routes.Cap{}) || !pro && r.Free != (routes.Cap{})) {
			wrong("it is counted, and does not say so")
		}
		return faults
	}
	if _, err := fmt.Sscanf(h.Get("RateLimit-Policy"), "%q;q=%d;w=%d", &policy, &q, &w); err != nil {
		wrong("RateLimit-Policy %q: %v", h.Get("RateLimit-Policy"), err)
	}
	if _, err := fmt.Sscanf(h.Get("RateLimit"), "%q;r=%d;t=%d", &name, &left, &seconds); err != nil {
		wrong("RateLimit %q: %v", h.Get("RateLimit"), err)
	}
	if fmt.Sprint(q) != h.Get("X-RateLimit-Limit") || fmt.Sprint(left) != h.Get("X-RateLimit-Remaining") ||
		policy != name || w <= 0 || seconds <= 0 || seconds > w || left >= q {
		wrong("they differ: %v", maps.Clone(h))
	}
	if r.Keyed() && strings.HasSuffix(policy, "-pro") != pro {
		wrong("it is counted as %s", policy)
	}
	return faults
}
