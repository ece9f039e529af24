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

func TestEvidenceRelease(t *testing.T) {
	testenv.Tool(t, "release", "goreleaser")
	var folders, sums [2]string
	for n := range folders {
		folders[n] = filepath.Join(t.TempDir(), fmt.Sprint("clone", n))
		output(t, exec.Command("git", "clone", "--quiet", fixture.Path(t), folders[n]))
		if err := os.Symlink(fixture.Path(t, ".tools"), filepath.Join(folders[n], ".tools")); err != nil {
			t.Fatal(err)
		}
	}
	for n, folder := range folders {
		// The files of the clone are newer than the tools, so make would build the tools again
		// without --old-file.
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
