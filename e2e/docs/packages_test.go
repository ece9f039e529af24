package docs

import (
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"verdetto/e2e/fixture"

	"github.com/google/go-cmp/cmp"
)

var (
	packageTable = regexp.MustCompile(`(?s)\| package \| what it does \|.*?\n\n`)
	clause       = regexp.MustCompile(`^.*?(?:[:;] |$)`)
	opening      = regexp.MustCompile(`^(?:Package|Command) \w+ `)
	upper        = regexp.MustCompile(`^(?:cmd|functions|infra|shared)/\w+(?:/\w+)?$`)
	// parts need no row in ARCHITECTURE.md: helpers of tests, generators, and parts of main
	// packages.
	parts = regexp.MustCompile(`/(?:analisi|fault|notify|store|upstream)test$|/(?:generate|bootstrap|testenv)$|` +
		`^cmd/lambdalocal/|^functions/(?:wiring|pro|x402)/`)
)

func TestPackages(t *testing.T) {
	sentences := map[string]string{}
	fixture.Walk(t, func(file string) {
		folder := path.Dir(file)
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || !upper.MatchString(folder) ||
			parts.MatchString(folder) {
			return
		}
		if _, found := sentences[folder]; !found {
			sentences[folder] = ""
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil,
			parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if parsed.Doc != nil {
			sentences[folder] = brief(parsed.Doc.Text())
		}
	})
	want := "| package | what it does |\n|---|---|\n"
	for _, folder := range slices.Sorted(maps.Keys(sentences)) {
		if sentences[folder] == "" {
			t.Errorf("%s has no package comment that begins with its name", folder)
		}
		want += fmt.Sprintf("| `%s` | %s |\n", folder, sentences[folder])
	}
	const file = "ARCHITECTURE.md"
	is := read(t, file)
	if shown := packageTable.FindString(is); len(sentences) < 50 || shown == "" {
		t.Fatalf("%d packages were found, and in %s the table %q", len(sentences), file, shown)
	}
	want = packageTable.ReplaceAllLiteralString(is, want+"\n")
	if *update {
		if err := os.WriteFile(filepath.Join(root, file), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, is); diff != "" {
		t.Errorf("%s (-comments +document): run this test with -update\n%s", file, diff)
	}
}

// brief returns the first sentence of a package comment, up to a colon or semicolon, without
// "Package x". It returns "" if the comment begins in another way.
func brief(comment string) string {
	sentence := new(doc.Package).Synopsis(comment)
	rest := opening.ReplaceAllString(sentence, "")
	if rest == sentence {
		return ""
	}
	return strings.TrimRight(clause.FindString(rest), ".:; ")
}
