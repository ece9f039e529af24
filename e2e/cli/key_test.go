package cli

import (
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

func TestKeyNeedsAStoreOfAService(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Want(0, "", "refresh", "-store", "bolt:empty.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	before := d.Files()
	create := func(store string) fixture.Result {
		return d.Run("key", "create", "-store", store, "-email", "ada@example.com")
	}
	for store, says := range map[string][]string{
		"bolt:verdeto.db":         {"verdeto.db", "no such file", "check the name"},
		"bolt:nowhere/verdeto.db": {"nowhere/verdeto.db", "no such file", "check the name"},
		"bolt:empty.db":           {"bolt:empty.db", "no pepper", "VERDETTO_PEPPER"},
		"bolt:":                   {"bolt:FILE"},
	} {
		got := create(store)
		if got.Code != 1 || strings.Contains(got.Stdout, "vd_") {
			t.Errorf("%s: exit code %d, stdout %q", store, got.Code, got.Stdout)
		}
		fixture.Has(t, "stderr", got.Stderr, says...)
	}
	for name := range d.Files() {
		if _, there := before[name]; !there {
			t.Errorf("%s was made", name)
		}
	}
}
