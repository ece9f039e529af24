package agents_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestCaching(t *testing.T) {
	d := open(t, knownRoutes(), "")
	const caller = `"_meta":{"io.modelcontextprotocol/protocolVersion":%q,` +
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
	for _, c := range []struct{ method, name, params string }{
		{"server/discover", "", ""},
		{"tools/list", "", ""},
		{"resources/list", "", ""},
		{"resources/templates/list", "", ""},
		{"resources/read", "verdetto://reference", `"uri":"verdetto://reference",`},
		{"resources/read", "verdetto://coverage/MIL", `"uri":"verdetto://coverage/MIL",`},
		{"resources/read", "ui://verdetto/card", `"uri":"ui://verdetto/card",`},
	} {
		for revision, kept := range map[string]bool{"2026-07-28": true, "2025-11-25": false, "2025-06-18": false} {
			if c.method == "server/discover" && !kept {
				continue
			}
			params := "{" + strings.TrimSuffix(c.params, ",") + "}"
			if kept {
				params = "{" + c.params + fmt.Sprintf(caller, revision) + "}"
			}
			w := d.send(t, "POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, c.method,
				params),
				"Mcp-Protocol-Version", revision, "Mcp-Method", c.method, "Mcp-Name", c.name)
			var m struct{ Result map[string]json.RawMessage }
			decode(t, w.Body, &m)
			if w.Code != 200 || m.Result == nil {
				t.Fatalf("%s of %s: %d", c.method, revision, w.Code)
			}
			got, want := string(m.Result["ttlMs"])+" "+string(m.Result["cacheScope"]), " "
			if kept {
				want = `3600000 "public"`
			}
			if got != want {
				t.Errorf("%s %s of %s: %q, want %q", c.method, c.name, revision, got, want)
			}
		}
	}
}
