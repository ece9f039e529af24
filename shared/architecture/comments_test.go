package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unclear are words that leave the reader to guess who acts or what is meant. Each entry is a
// pattern for a comment as one line of text in lower case.
var unclear = []string{`\bnobody\b`, `\bwhoever\b`, `\btells whether\b`, `\bso many\b`, `\bis told\b`,
	`\bwho asks?\b`, `\bof it\b`}

// understood are phrases that contain an unclear word and are still clear: shares of a sum.
var understood = []string{"all of it", "half of it", "part of it", "rest of it"}

// notes counts what a check of comments found.
type notes struct {
	comments, exported int
	words              map[string]int // by pattern
}

// check returns the faults of a file: comments with unclear words, and exported identifiers without
// a comment. In tests and test doubles it reports only unclear words.
func (n *notes) check(name, text string) (faults []string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	if ast.IsGenerated(file) {
		return nil
	}
	for _, group := range file.Comments {
		n.comments++
		line := strings.ToLower(strings.Join(strings.Fields(group.Text()), " "))
		for _, phrase := range understood {
			line = strings.ReplaceAll(line, phrase, "")
		}
		for i, word := range words {
			if found := word.FindString(line); found != "" {
				n.words[unclear[i]]++
				faults = append(faults, files.Position(group.Pos()).String()+": a comment says "+found)
			}
		}
	}
	if isTest := strings.HasSuffix(name, "_test.go") || strings.HasSuffix(path.Dir(name), "test") ||
		strings.Contains(name, "e2e/"); isTest {
		return faults
	}
	for _, id := range exported(file) {
		n.exported++
		if !id.documented {
			faults = append(faults, files.Position(id.Pos()).String()+": "+id.Name+" has no comment")
		}
	}
	return faults
}

var words = func() (all []*regexp.Regexp) {
	for _, pattern := range unclear {
		all = append(all, regexp.MustCompile(pattern))
	}
	return all
}()

// declared is an exported identifier of a package.
type declared struct {
	*ast.Ident
	documented bool
}

// exported returns the exported identifiers that a file declares, also those in a group with one
// comment.
func exported(file *ast.File) (all []declared) {
	add := func(id *ast.Ident, docs ...*ast.CommentGroup) {
		if id.IsExported() {
			all = append(all, declared{id, slices.ContainsFunc(docs, func(g *ast.CommentGroup) bool { return g != nil })})
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name, d.Doc)
			} else if on := receiver(d.Recv.List[0].Type); on.IsExported() && !documentedElsewhere(on.Name, d.Name.Name) {
				add(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name, d.Doc, spec.Doc, spec.Comment)
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						add(id, d.Doc, spec.Doc, spec.Comment)
					}
				}
			}
		}
	}
	return all
}

// documentedElsewhere reports whether an interface documents a method: one of the standard library,
// or the one that the type's comment names.
func documentedElsewhere(receiver, method string) bool {
	return receiver == "Unsold" || slices.Contains([]string{"Error", "String", "Unwrap", "ServeHTTP", "MarshalJSON",
		"UnmarshalJSON", "MarshalText", "UnmarshalText", "Close", "Schema"}, method)
}

// receiver returns the name of the type of a method.
func receiver(t ast.Expr) *ast.Ident {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return t.(*ast.Ident)
}

// TestComments checks that comments have no unclear words, and that exported identifiers have a
// comment.
func TestComments(t *testing.T) {
	n := notes{words: map[string]int{}}
	eachFile(t, func(_, file string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range n.check(filepath.ToSlash(file), string(text)) {
			t.Error(strings.TrimPrefix(fault, "../../"))
		}
	})
	t.Logf("%d comments, unclear words %v; %d exported identifiers", n.comments, n.words, n.exported)
}

// TestCommentsCanFail shows that the check finds each fault.
func TestCommentsCanFail(t *testing.T) {
	for text, want := range map[string]int{
		"// Package p is plain.\npackage p\n":                              0,
		"package p\n// F tells\n// whether it is.\nfunc F() {}\n":          1,
		"package p\n// F is called by nobody, so many times.\nfunc F() {}": 2,
		"package p\n// F returns half of it.\nfunc F() {}\n":               0,
		"package p\nfunc F() {}\n":                                         1,
		"package p\ntype T struct{}\nfunc (T) M() {}\n":                    2,
		"package p\ntype t struct{}\nfunc (t) M() {}\n":                    0,
		"package p\nconst A, b = 1, 2\n":                                   1,
		"package p\nconst A = 1 // the first\n":                            0,
	} {
		n := notes{words: map[string]int{}}
		if faults := n.check("a.go", text); len(faults) != want {
			t.Errorf("%q: %q", text, faults)
		}
	}
}
