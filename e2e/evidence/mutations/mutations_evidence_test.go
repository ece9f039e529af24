// Package mutations plants faults in the code, one at a time, and runs the tests that should find
// them. testdata/mutations.txt holds the faults and the results.
package mutations

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root = "../../.."
	list = "testdata/mutations.txt"
)

var (
	draw   = flag.Uint64("draw", 0, "draw the faults anew with this seed")
	update = flag.Bool("update", false, "record which faults are found")
)

// At most perPackage faults are drawn from each package.
var packages = []string{"shared/verdict", "shared/verdict/departure", "shared/answer", "shared/published", "shared/web/limit",
	"shared/store", "shared/notify", "functions/alerts", "functions/pro", "functions/refresh"}

const perPackage = 15

var replacements = map[token.Token][]token.Token{
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL},
	token.LSS: {token.LEQ, token.GEQ}, token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ}, token.GEQ: {token.GTR, token.LSS},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.MUL},
	token.LAND: {token.LOR}, token.LOR: {token.LAND},
}

// index counts the operators of a function, so a mutation stays valid after changes elsewhere in
// the file.
type mutation struct {
	file, function string
	index          int
	was, is        token.Token
	found          string // found, missed, untried, or void if the mutation does not compile
}

func (m mutation) String() string {
	return fmt.Sprintf("%s %s %d %s %s %s", m.file, m.function, m.index, m.was, m.is, m.found)
}

func operators(function *ast.FuncDecl) (all []*ast.BinaryExpr) {
	ast.Inspect(function, func(n ast.Node) bool {
		if binary, ok := n.(*ast.BinaryExpr); ok && len(replacements[binary.Op]) > 0 {
			all = append(all, binary)
		}
		return true
	})
	slices.SortFunc(all, func(a, b *ast.BinaryExpr) int { return cmp.Compare(a.OpPos, b.OpPos) })
	return all
}

func name(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver := function.Recv.List[0].Type
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver = star.X
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	return fmt.Sprint(receiver) + "." + function.Name.Name
}

func functions(t *testing.T, file string) (*token.FileSet, []*ast.FuncDecl) {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, filepath.Join(root, file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []*ast.FuncDecl
	for _, declaration := range parsed.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok {
			all = append(all, function)
		}
	}
	return files, all
}

func drawn(t *testing.T, seed uint64) (all []mutation) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	for _, dir := range packages {
		sources, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var here []mutation
		for _, source := range sources {
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			file := dir + "/" + filepath.Base(source)
			_, all := functions(t, file)
			for _, function := range all {
				for i, binary := range operators(function) {
					for _, is := range replacements[binary.Op] {
						here = append(here, mutation{file, name(function), i, binary.Op, is, "untried"})
					}
				}
			}
		}
		random.Shuffle(len(here), func(i, j int) { here[i], here[j] = here[j], here[i] })
		all = append(all, here[:min(perPackage, len(here))]...)
	}
	return all
}

func (m mutation) planted(t *testing.T) (overlay string, ok bool) {
	t.Helper()
	files, all := functions(t, m.file)
	for _, function := range all {
		if name(function) != m.function {
			continue
		}
		if found := operators(function); m.index < len(found) && found[m.index].Op == m.was {
			source, err := os.ReadFile(filepath.Join(root, m.file))
			if err != nil {
				t.Fatal(err)
			}
			at := files.Position(found[m.index].OpPos).Offset
			source = slices.Concat(source[:at], []byte(m.is.String()), source[at+len(m.was.String()):])
			dir := t.TempDir()
			mutant := filepath.Join(dir, "mutant.go")
			original, err := filepath.Abs(filepath.Join(root, m.file))
			if err != nil {
				t.Fatal(err)
			}
			replace, err := json.Marshal(map[string]map[string]string{"Replace": {original: mutant}})
			if err != nil {
				t.Fatal(err)
			}
			overlay = filepath.Join(dir, "overlay.json")
			for file, content := range map[string][]byte{mutant: source, overlay: replace} {
				if err := os.WriteFile(file, content, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			return overlay, true
		}
	}
	return "", false
}

func verdict(t *testing.T, m mutation, overlay string) string {
	t.Helper()
	run := func(args ...string) (string, bool) {
		command := exec.CommandContext(t.Context(), "go", args...)
		command.Dir = root
		out, err := command.CombinedOutput()
		return string(out), err == nil
	}
	if out, ok := run("build", "-overlay", overlay, "./"+filepath.Dir(m.file)); !ok {
		if !strings.Contains(out, m.file) && !strings.Contains(out, "mutant.go") {
			t.Fatalf("go build: %s", out)
		}
		return "void"
	}
	for _, patterns := range [][]string{{"./" + filepath.Dir(m.file)}, {"./e2e/..."}, {"./functions/...", "./shared/notify/...", "./cmd/verdetto/..."}} {
		selected := []string{"test", "-vet=off", "-failfast", "-timeout", "20m", "-skip", "^Test(Prove|Evidence)", "-overlay", overlay}
		out, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-C", root}, patterns...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		for pkg := range strings.FieldsSeq(string(out)) {
			if !strings.Contains(pkg+"/", "/check/") && !strings.Contains(pkg+"/", "/evidence/") {
				selected = append(selected, pkg)
			}
		}
		if _, ok := run(selected...); !ok {
			return "found"
		}
	}
	return "missed"
}

func TestEvidenceMutations(t *testing.T) {
	var all []mutation
	if *draw > 0 {
		all = drawn(t, *draw)
	} else {
		content, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		tokens := map[string]token.Token{}
		for was := range replacements {
			tokens[was.String()] = was
		}
		for line := range strings.Lines(string(content)) {
			field := strings.Fields(line)
			if len(field) != 6 {
				t.Fatalf("%s: %q", list, line)
			}
			index, err := strconv.Atoi(field[2])
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, mutation{field[0], field[1], index, tokens[field[3]], tokens[field[4]], field[5]})
		}
	}
	save := func() {
		var out bytes.Buffer
		for _, m := range all {
			fmt.Fprintln(&out, m)
		}
		if err := os.WriteFile(list, out.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if *draw > 0 {
		save()
		return
	}
	for i, m := range all {
		t.Run(fmt.Sprintf("%s/%s/%d", m.file, m.function, m.index), func(t *testing.T) {
			if m.found == "void" || *update && m.found != "untried" {
				t.Skip("it does not compile, or is known")
			}
			overlay, ok := m.planted(t)
			if !ok {
				t.Fatalf("%s has no operator %d %s any more: draw another fault of this package", m.function, m.index, m.was)
			}
			now := verdict(t, m, overlay)
			t.Log(m, "now", now)
			if *update {
				all[i].found = now
				save()
			} else if m.found == "found" && now != "found" {
				t.Errorf("%s in place of %s is found no more", m.is, m.was)
			}
		})
	}
}
