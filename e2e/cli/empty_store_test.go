package cli

import (
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

// A failed copy may leave an empty file. A command must not take this file for a new store.
func TestAnEmptyStoreIsRefused(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Write("empty.db", "")
	for _, command := range [][]string{
		{"serve", "-listen", "127.0.0.1:0", "-upstream", "sample"}, {"refresh", "-upstream", "sample"},
		{"import", "good.csv"}, {"key", "create", "-email", "ada@example.com"}, {"verify"}, {"pepper", "export", "-to", "pepper.txt"},
		{"status"}, {"backup", "-to", "backup.db"},
	} {
		got := d.Run(append(command, "-store", "bolt:empty.db")...)
		if got.Code != 1 || !strings.Contains(got.Stderr, "empty.db: it is not a store, or it is damaged (it is empty)") {
			t.Errorf("%s: exit code %d\n%s%s", command, got.Code, got.Stdout, got.Stderr)
		}
		if content := d.Files()["empty.db"]; len(content) != 0 {
			t.Fatalf("%s wrote %d bytes into it", command, len(content))
		}
	}
}
