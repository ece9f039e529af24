package release

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

// TestEvidenceRelease makes the release of one commit twice, in two folders. The parts are equal to
// the byte.
func TestEvidenceRelease(t *testing.T) {
	testenv.Tool(t, "release", "goreleaser")
	var sums [2]string
	for n := range sums {
		folder := filepath.Join(t.TempDir(), fmt.Sprint("clone", n))
		output(t, exec.Command("git", "clone", "--quiet", fixture.Path(t), folder))
		if err := os.Symlink(fixture.Path(t, ".tools"), filepath.Join(folder, ".tools")); err != nil {
			t.Fatal(err)
		}
		// The clone is newer than the tools, which must not be built again.
		make := exec.CommandContext(t.Context(), "make", "--old-file=.tools/release/.complete", "release-snapshot")
		make.Dir = folder
		output(t, make)
		for _, name := range []string{"SHA256SUMS", "image-digest"} {
			data, err := os.ReadFile(filepath.Join(folder, "dist", "release", name))
			if err != nil {
				t.Fatal(err)
			}
			sums[n] += string(data)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("two builds differ:\n%s\n%s", sums[0], sums[1])
	}
	t.Logf("%d equal parts", strings.Count(sums[0], "\n"))
}
