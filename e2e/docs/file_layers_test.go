package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Two files must not use each other, not even by way of other files. Methods called through a value
// are not checked.
func TestFilesFormLayers(t *testing.T) {
	for _, folder := range []string{"shared/store", "shared/notify"} {
		names, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", folder, len(names), err)
		}
		files, declaredIn := map[string]*ast.File{}, map[string]string{}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			if files[name], err = parser.ParseFile(token.NewFileSet(), name, nil, 0); err != nil {
				t.Fatal(err)
			}
			for declared := range files[name].Scope.Objects {
				declaredIn[declared] = name
			}
		}
		usesOthers := func(name string) bool {
			return slices.ContainsFunc(files[name].Unresolved, func(id *ast.Ident) bool {
				in, found := declaredIn[id.Name]
				return found && files[in] != nil && in != name
			})
		}
		for len(files) > 0 {
			above := maps.Clone(files)
			maps.DeleteFunc(above, func(name string, _ *ast.File) bool { return !usesOthers(name) })
			if len(above) == len(files) {
				t.Errorf("%s: these files use each other: %v", folder, slices.Sorted(maps.Keys(files)))
				break
			}
			files = above
		}
	}
}
