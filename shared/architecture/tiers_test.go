package architecture

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// measures are the functions that wait, or that measure time or memory.
var measures = []string{
	"time.Sleep", "time.Since", "time.Until",
	"testing.Benchmark", "runtime.ReadMemStats", "runtime/metrics.Read", "syscall.Getrusage",
}

// comparisons are the methods of time.Time that compare two times.
var comparisons = []string{"Sub", "Before", "After", "Compare"}

// tiers maps the prefix of tests' names to the suffix of their files' names.
var tiers = map[string]string{"TestProve": "prove_test.go", "TestEvidence": "evidence_test.go"}

// TestTiers checks the tiers make test, make prove and make evidence. TestProve... must be in
// *prove_test.go and TestEvidence... in *evidence_test.go. Other tests must not sleep or measure
// time outside synctest.Test, so make test passes on a slow machine: they call none of measures,
// and never subtract or compare results of time.Now. Measurements in fixtures are not detected.
func TestTiers(t *testing.T) {
	tests := map[string]int{} // by tier
	eachFile(t, func(_, path string) {
		if !strings.HasSuffix(path, "_test.go") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range check(files, file) {
			t.Error(strings.TrimPrefix(fault, root+string(filepath.Separator)))
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && isRun(f.Name.Name) {
				tests[tierOf(f.Name.Name)]++
			}
		}
	})
	t.Logf("%d tests for make test, %d for make prove, %d for make evidence", tests[""], tests["TestProve"],
		tests["TestEvidence"])
	for _, tier := range []string{"", "TestProve", "TestEvidence"} {
		if tests[tier] == 0 {
			t.Errorf("no test is named %q...: is the root right?", cmp.Or(tier, "Test"))
		}
	}
}

// tierOf returns the prefix of the test's tier, or "" for make test.
func tierOf(name string) string {
	for prefix := range tiers {
		if strings.HasPrefix(name, prefix) {
			return prefix
		}
	}
	return ""
}

// check returns the faults of a test file with their positions.
func check(files *token.FileSet, file *ast.File) (faults []string) {
	fault := func(at token.Pos, text string) {
		faults = append(faults, files.Position(at).String()+": "+text)
	}
	name := files.Position(file.Pos()).Filename
	imports := importsOf(file)
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		for prefix, end := range tiers {
			belongs, stands := f.Recv == nil && tierOf(f.Name.Name) == prefix, strings.HasSuffix(name, end)
			switch {
			case belongs && !stands:
				fault(f.Pos(), f.Name.Name+" belongs in a file ending "+end)
			case !belongs && stands && f.Recv == nil && isRun(f.Name.Name):
				fault(f.Pos(), "a file ending "+end+" holds only "+prefix+"..., not "+f.Name.Name)
			}
		}
	}
	if !strings.HasSuffix(name, tiers["TestProve"]) && !strings.HasSuffix(name, tiers["TestEvidence"]) {
		for _, d := range file.Decls {
			clocks(d, imports, fault)
		}
	}
	return faults
}

// isRun reports whether go test runs the function with this name.
func isRun(name string) bool {
	return name != "TestMain" && (strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Fuzz") ||
		strings.HasPrefix(name, "Example"))
}

// importsOf returns the import paths of a file by local name.
func importsOf(file *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has validated it
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = path
	}
	return names
}

// clocks reports the calls in a declaration that wait or measure outside of synctest.Test.
func clocks(d ast.Decl, imports map[string]string, fault func(token.Pos, string)) {
	now := map[string]bool{} // variables that hold a result of time.Now
	gaveNow := func(e ast.Expr) bool {
		for {
			switch x := e.(type) {
			case *ast.CallExpr:
				if called(x, imports) == "time.Now" {
					return true
				}
				e = x.Fun
			case *ast.SelectorExpr:
				e = x.X
			case *ast.Ident:
				return now[x.Name]
			default:
				return false
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, e := range n.Rhs {
				if name, ok := n.Lhs[i].(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && gaveNow(e) {
					now[name.Name] = true
				}
			}
		case *ast.ValueSpec:
			for i, e := range n.Values {
				if gaveNow(e) && i < len(n.Names) {
					now[n.Names[i].Name] = true
				}
			}
		case *ast.CallExpr:
			switch name := called(n, imports); {
			case name == "testing/synctest.Test":
				return false
			case slices.Contains(measures, name):
				fault(n.Pos(), name+" depends on the machine: synctest.Test, or a TestProve")
			}
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(comparisons, s.Sel.Name) && len(n.Args) == 1 &&
				(gaveNow(s.X) || gaveNow(n.Args[0])) {
				fault(n.Pos(), "what time.Now gave is compared by "+s.Sel.Name+": synctest.Test, or a TestProve")
			}
		}
		return true
	})
}

// called returns the imported function of a call, as path.Name, or "".
func called(call *ast.CallExpr, imports map[string]string) string {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		if x, ok := s.X.(*ast.Ident); ok && imports[x.Name] != "" {
			return imports[x.Name] + "." + s.Sel.Name
		}
	}
	return ""
}

// TestNotices shows that the check reports each kind of fault.
func TestNotices(t *testing.T) {
	const imports = "import (\n\"runtime\"\n\"testing\"\n\"testing/synctest\"\n\"time\"\nclock \"time\"\n)\n"
	for _, c := range []struct {
		name, file, body string
		want             []string // each the start of a fault
	}{
		{"an ordinary test", "a_test.go", `func TestA(t *testing.T) { context.WithTimeout(t.Context(), time.Minute) }`,
			nil},
		{"measures", "a_test.go", `func TestA(t *testing.T) { if time.Since(begun) > time.Second { t.Fail() } }`,
			[]string{"time.Since"}},
		{"measures under another name", "a_test.go", `func TestA(t *testing.T) { clock.Until(end) }`,
			[]string{"time.Until"}},
		{"sleeps in a helper", "a_test.go", `func help() { time.Sleep(1) }`, []string{"time.Sleep"}},
		{"measures in a variable", "a_test.go", `var took = func() time.Duration { return time.Since(begun) }`,
			[]string{"time.Since"}},
		{"memory", "a_test.go", `func TestA(t *testing.T) { runtime.ReadMemStats(&m) }`,
			[]string{"runtime.ReadMemStats"}},
		{"benchmark", "a_test.go", `func TestA(t *testing.T) { testing.Benchmark(f) }`, []string{"testing.Benchmark"}},
		{"in a bubble", "a_test.go",
			`func TestA(t *testing.T) { synctest.Test(t, func(t *testing.T) { time.Sleep(1); time.Since(begun) }) }`,
			nil},
		{"beside a bubble", "a_test.go", `func TestA(t *testing.T) { synctest.Test(t, f); time.Sleep(1) }`,
			[]string{"time.Sleep"}},
		{"subtracts", "a_test.go", `func TestA(t *testing.T) { begun := time.Now().UTC(); x.Sub(begun) }`,
			[]string{"what time.Now gave is compared by Sub"}},
		{"subtracts from", "a_test.go", `func TestA(t *testing.T) { time.Now().Sub(x) }`,
			[]string{"what time.Now gave is compared by Sub"}},
		{"waits", "a_test.go", `func TestA(t *testing.T) { for end := time.Now().Add(1); time.Now().Before(end); { } }`,
			[]string{"what time.Now gave is compared by Before"}},
		{"declares and compares", "a_test.go", `func TestA(t *testing.T) { var end = time.Now(); x.After(end) }`,
			[]string{"what time.Now gave is compared by After"}},
		{"passes the time on", "a_test.go",
			`func TestA(t *testing.T) { now := time.Now(); f(now, now.Add(time.Hour)); x.Sub(y); s.Sub(1) }`, nil},
		{"proves", "a_prove_test.go",
			`func TestProveA(t *testing.T) { time.Since(begun) }; func help() {}; func BenchmarkA(b *testing.B) {}`,
			nil},
		{"evidence", "evidence_test.go",
			`func TestEvidenceA(t *testing.T) { time.Since(begun) }; func TestMain(m *testing.M) {}`, nil},
		{"proves in a wrong place", "a_test.go", `func TestProveA(t *testing.T) {}`,
			[]string{"TestProveA belongs in a file ending prove_test.go"}},
		{"evidence in a wrong place", "a_prove_test.go", `func TestEvidenceA(t *testing.T) {}`, []string{
			"TestEvidenceA belongs in a file ending evidence_test.go",
			"a file ending prove_test.go holds only TestProve..., not TestEvidenceA"}},
		{"others in a file of proofs", "a_prove_test.go",
			`func TestA(t *testing.T) {}; func FuzzA(f *testing.F) {}; func (x) TestB() {}`, []string{
				"a file ending prove_test.go holds only TestProve..., not TestA",
				"a file ending prove_test.go holds only TestProve..., not FuzzA"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, c.file, "package p\n"+imports+c.body, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, fault := range check(files, file) {
				_, text, _ := strings.Cut(fault, ": ")
				for _, w := range c.want {
					if strings.HasPrefix(text, w) {
						text = w
					}
				}
				got = append(got, text)
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := gocmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
