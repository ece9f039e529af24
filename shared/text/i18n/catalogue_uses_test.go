package i18n

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type use struct {
	where          string
	prefix, suffix string   // constant start and end of the id
	whole          bool     // prefix is the complete id
	names          []string // nil if the placeholders are unknown
}

var methods = []string{"Text", "Plain", "HTML", "Count", "Lookup"}

// inTemplate matches calls such as `.Text "id" "Name" value ...` in an HTML template.
var inTemplate = regexp.MustCompile(`\.(Text|Plain|HTML|Count) "([^"]+)"((?: "[A-Z]\w*" (?:\((?:[^()]|` +
	`\([^()]*\))*\)|[^\s(){}|"]+))*)`)

var quotedName = regexp.MustCompile(`"([A-Z]\w*)"`)

func uses(t *testing.T) (all []use) {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" ||
			d.Name() == "node_modules" || d.Name() == "dist"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			all = append(all, inGo(t, path)...)
		case strings.HasSuffix(path, ".html"), strings.HasSuffix(path, ".tmpl"):
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range inTemplate.FindAllStringSubmatch(string(source), -1) {
				u := use{where: path, prefix: m[2], whole: true, names: []string{}}
				for _, name := range quotedName.FindAllStringSubmatch(m[3], -1) {
					u.names = append(u.names, name[1])
				}
				all = append(all, u)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func inGo(t *testing.T, path string) (all []use) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		method := ""
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			method = f.Sel.Name
			if name, ok := f.X.(*ast.Ident); ok && name.Name == "flag" {
				method = "" // flag.Lookup looks up no text
			}
		case *ast.Ident:
			method = f.Name
		}
		if !slices.Contains(append(methods, "numbered"), method) {
			return true
		}
		u := use{where: path, prefix: literal(call.Args[0])}
		if sum, ok := call.Args[0].(*ast.BinaryExpr); ok {
			first := sum
			for nested, ok := first.X.(*ast.BinaryExpr); ok; nested, ok = first.X.(*ast.BinaryExpr) {
				first = nested
			}
			u.prefix, u.suffix = literal(first.X), literal(sum.Y)
		} else if u.prefix != "" && method != "numbered" {
			u.whole = true
			u.names = filledIn(call, method)
		}
		if strings.Contains(u.prefix, ".") {
			all = append(all, u)
		}
		return true
	})
	return all
}

func filledIn(call *ast.CallExpr, method string) []string {
	from, names := 1, []string{}
	if method == "Count" {
		from, names = 2, []string{"Count"}
	}
	for i := from; i < len(call.Args); i += 2 {
		if call.Ellipsis.IsValid() {
			return nil
		}
		names = append(names, literal(call.Args[i]))
	}
	return names
}

func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		text, _ := strconv.Unquote(l.Value)
		return text
	}
	return ""
}

func TestUses(t *testing.T) {
	catalogue := texts(t, English().Code)
	unused := maps.Clone(catalogue)
	found := uses(t)
	if len(found) < 200 {
		t.Fatalf("only %d uses were found: is the root right?", len(found))
	}
	for _, u := range found {
		if u.whole {
			forms, ok := catalogue[u.prefix]
			if !ok {
				t.Errorf("%s asks for %s, which is not there", u.where, u.prefix)
				continue
			}
			delete(unused, u.prefix)
			slices.Sort(u.names)
			if want := placeholders(t, forms[0]); u.names != nil && !slices.Equal(want, u.names) {
				t.Errorf("%s fills in %s (-by its names +as given):\n%s", u.where, u.prefix, cmp.Diff(want, u.names))
			}
			continue
		}
		matching := 0
		for id := range catalogue {
			if strings.HasPrefix(id, u.prefix) && strings.HasSuffix(id, u.suffix) {
				delete(unused, id)
				matching++
			}
		}
		if matching == 0 {
			t.Errorf("%s asks for texts %s...%s, of which there is none", u.where, u.prefix, u.suffix)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(unused)) {
		t.Errorf("nothing asks for %s", id)
	}
}
