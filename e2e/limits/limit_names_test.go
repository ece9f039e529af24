package limits

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/web/routes"
)

func TestLimitNames(t *testing.T) {
	t.Parallel()
	var found []string
	named := regexp.MustCompile(`limit\.Limit\{Name: "([^"]+)"`)
	for _, folder := range []string{"functions", "shared"} {
		err := filepath.WalkDir(fixture.Path(t, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			data, err := os.ReadFile(path)
			for _, m := range named.FindAllStringSubmatch(string(data), -1) {
				found = append(found, m[1])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if slices.Sort(found); !slices.Equal(found, routes.OwnLimits) {
		t.Errorf("the code has the limits %v, OwnLimits %v", found, routes.OwnLimits)
	}
	if fault := routes.UnknownLimit("analisi-fre"); !strings.Contains(fault, "RateLimit-Policy") {
		t.Errorf("an unknown name: %q", fault)
	}
	if fault := routes.UnknownLimit("pagella-pro"); fault == "" {
		t.Error("an endpoint without a quota has a name for it")
	}
	if fault := routes.UnknownLimit("analisi-pro"); fault != "" {
		t.Errorf("a known name: %q", fault)
	}
}
