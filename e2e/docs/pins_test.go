package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"verdetto/e2e/fixture"
)

var (
	action = regexp.MustCompile(`(?m)^\s*(?:- )?uses: (\S+)(.*)$`)
	commit = regexp.MustCompile(`@[0-9a-f]{40}$`)
)

// An action must be named by a commit, because a tag can be moved.
func TestPins(t *testing.T) {
	actions, locks := 0, 0
	fixture.Walk(t, func(path string) {
		switch {
		case strings.HasPrefix(path, ".github/workflows/"):
			for _, m := range action.FindAllStringSubmatch(read(t, path), -1) {
				if actions++; !commit.MatchString(m[1]) || !strings.HasPrefix(m[2], " # v") {
					t.Errorf("%s uses %s%s: want a commit, and its version as a comment", path, m[1], m[2])
				}
			}
		case strings.HasPrefix(path, "tools/") && filepath.Base(path) == "package.json":
			var lock struct {
				Packages map[string]struct{ Version, Resolved string }
			}
			name := filepath.Join(filepath.Dir(path), "package-lock.json")
			data, err := os.ReadFile(filepath.Join(root, name))
			if err == nil {
				err = json.Unmarshal(data, &lock)
			}
			if err != nil || len(lock.Packages) < 2 {
				t.Errorf("%s: %d packages, %v", name, len(lock.Packages), err)
			}
			for dependency, p := range lock.Packages {
				if locks++; p.Resolved != "" || p.Version == "" && dependency != "" {
					t.Errorf("%s: %s of version %q comes from %q: run npm with omit-lockfile-registry-resolved=true",
						name, dependency, p.Version, p.Resolved)
				}
			}
		}
	})
	if actions < 2 || locks < 100 {
		t.Errorf("only %d actions and %d packages were looked at", actions, locks)
	}
}
