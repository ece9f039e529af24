package release

import (
	"os"
	"regexp"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/web/httpapi"
)

const image = "verdetto.example/verdetto:" + httpapi.Version

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(fixture.Path(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The README names no image, because none is published.
func TestVersion(t *testing.T) {
	named := regexp.MustCompile(`verdetto\.example/verdetto:[^"'\s` + "`" + `]+`)
	for path, count := range map[string]int{"infra/onemachine/compose.yaml": 1, "README.md": 0} {
		found := named.FindAllString(read(t, path), -1)
		for _, name := range found {
			if name != image {
				t.Errorf("%s names %s, want %s", path, name, image)
			}
		}
		if len(found) != count {
			t.Errorf("%s names the image %d times, want %d", path, len(found), count)
		}
	}
}
