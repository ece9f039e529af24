package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestEnvironment(t *testing.T) {
	groups := configGroups(t)
	for _, f := range functions {
		loaded := loadedBy(t, f.name)
		if len(loaded) == 0 {
			t.Errorf("%s loads no group of package config", f.name)
		}
		needed, ofSale := map[string]bool{}, map[string]bool{}
		known := map[string]bool{"GOGC": f.http}
		for _, group := range loaded {
			if len(groups[group]) == 0 {
				t.Errorf("%s loads the group %s, in which there is no variable", f.name, group)
			}
			for _, v := range groups[group] {
				known[v.name] = true
				needed[v.name] = needed[v.name] || v.needed
				ofSale[v.name] = ofSale[v.name] || group == "Pay" // loaded only if something is sold
			}
		}
		for _, name := range []string{"example", "least", "most"} {
			set := fixture(t, name).property(title(f.name)+"Function", "Environment", "Variables").(map[string]any)
			for v := range needed {
				if ofSale[v] && set["STRIPE_PRICE"] == nil {
					continue
				}
				if value, ok := set[v]; needed[v] && (!ok || value == "") {
					t.Errorf("%s: %s does not start without %s", name, f.name, v)
				}
			}
			for v := range set {
				if !known[v] {
					t.Errorf("%s: %s is given %s, which it does not read", name, f.name, v)
				}
			}
		}
	}
}

type variable struct {
	name   string
	needed bool
}

func configGroups(t *testing.T) map[string][]variable {
	t.Helper()
	groups, embeds := map[string][]variable{}, map[string][]string{}
	files, err := filepath.Glob("../../shared/runtime/config/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files of package config: %v", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		ast.Inspect(parse(t, file), func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			fields, ok := spec.Type.(*ast.StructType)
			if !ok {
				return false
			}
			for _, field := range fields.Fields.List {
				if inner, ok := field.Type.(*ast.Ident); ok && len(field.Names) == 0 {
					embeds[spec.Name.Name] = append(embeds[spec.Name.Name], inner.Name)
				}
				if field.Tag == nil {
					continue
				}
				tag, err := strconv.Unquote(field.Tag.Value)
				if err != nil {
					t.Fatal(err)
				}
				name, options, _ := strings.Cut(reflect.StructTag(tag).Get("env"), ",")
				if name != "" {
					groups[spec.Name.Name] = append(groups[spec.Name.Name],
						variable{name, strings.Contains(options, "notEmpty") || strings.Contains(options, "required")})
				}
			}
			return false
		})
	}
	for outer, inners := range embeds {
		for _, inner := range inners {
			groups[outer] = append(groups[outer], groups[inner]...)
		}
	}
	return groups
}

func loadedBy(t *testing.T, function string) []string {
	t.Helper()
	file := "../../functions/" + function + "/bootstrap/main.go"
	if _, err := os.Stat(file); err != nil {
		t.Errorf("%s has no executable: %v", function, err)
		return nil
	}
	main := parse(t, file)
	files := []*ast.File{main, parse(t, "../../functions/wiring/wiring.go")}
	for _, i := range main.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if name, ok := strings.CutPrefix(path, "verdetto/functions/"); ok && strings.Contains(name, "/") {
			files = append(files, parse(t, "../../functions/"+name+"/"+filepath.Base(name)+".go"))
		}
	}
	var loaded []string
	for _, f := range files {
		loaded = append(loaded, declaredGroups(f)...)
	}
	return loaded
}

func declaredGroups(f *ast.File) (loaded []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.ValueSpec); ok {
			if sel, ok := s.Type.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "config" {
					loaded = append(loaded, sel.Sel.Name)
				}
			}
		}
		return true
	})
	return loaded
}

func parse(t *testing.T, file string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
