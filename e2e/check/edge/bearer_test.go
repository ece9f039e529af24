package edge

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// The edge, the HTTP cache in front of the service, handles a key in Authorization like one in
// X-Api-Key. An answer cached for a key is sent only to callers with that key. A bearer token that
// is not a key gets 401.
func TestEdgeTakesABearer(t *testing.T) {
	t.Parallel()
	e := newEdge(t)
	bearer := func(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }
	for n, s := range []step{
		{from: 2, target: trends, status: 200, cache: miss},
		{from: 2, header: bearer(e.keys["ada"]), target: trends, status: 200, cache: miss},
		{from: 3, header: bearer(e.keys["ada"]), target: trends, status: 200, cache: hit},
		{from: 3, header: bearer(e.keys["bob"]), target: trends, status: 200, cache: miss},
		{from: 3, header: bearer("sk-somebody-elses"), target: trends, status: 401, cache: miss},
		{from: 3, header: bearer("sk-somebody-elses"), target: trends, status: 401, cache: miss},
		{from: 4, target: trends, status: 200, cache: hit},
		// CloudFront does not cache this answer, so the service sets X-Cache.
		{from: 2, header: bearer(e.keys["ada"]), target: verdicts, status: 200, cache: miss},
		{from: 2, header: bearer("sk-somebody-elses"), target: verdicts, status: 401},
	} {
		a := e.take(s, fmt.Sprintf("call %d", n+1))
		if pro := strings.Contains(s.header.Get("Authorization"), "vd_"); (a.header.Get("X-Plan") == "pro") != pro {
			t.Errorf("call %d: X-Plan is %q", n+1, a.header.Get("X-Plan"))
		}
	}
}
