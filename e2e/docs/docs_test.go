// Package docs checks the documents against the repository.
package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"verdetto/e2e/fixture"
)

const root = "../.."

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

var (
	block = regexp.MustCompile("(?s)\n```[a-z]*\n(.*?)\n```")
	span  = regexp.MustCompile("`([^`\n]+)`")
	link  = regexp.MustCompile(`\]\(([^)\s]+)\)|src="([^"]+)"`)
)

func code(text string) (parts []string) {
	for _, m := range block.FindAllStringSubmatch(text, -1) {
		parts = append(parts, m[1])
	}
	for _, m := range span.FindAllStringSubmatch(block.ReplaceAllString(text, ""), -1) {
		parts = append(parts, m[1])
	}
	return parts
}

func exists(pattern string) bool {
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	return err == nil && len(found) > 0
}

func TestLinks(t *testing.T) {
	texts := fixture.Documents(t)
	texts["CHANGELOG.md"] = read(t, "CHANGELOG.md")
	for path, text := range texts {
		for _, m := range link.FindAllStringSubmatch(block.ReplaceAllString(text, ""), -1) {
			target := m[1] + m[2]
			if strings.Contains(target, "://") {
				continue
			}
			file, heading, _ := strings.Cut(target, "#")
			to := path
			if file != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(path), file))
			}
			if !exists(to) {
				t.Errorf("%s links to %s, which is not there", path, target)
			} else if heading != "" && !slices.Contains(anchors(texts[to]), heading) {
				t.Errorf("%s links to %s, which has no such heading", path, target)
			}
		}
	}
}

func anchors(text string) (list []string) {
	for line := range strings.Lines(block.ReplaceAllString("\n"+text, "")) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			title = strings.ToLower(strings.TrimSpace(title))
			list = append(list, strings.ReplaceAll(notInAnchors.ReplaceAllString(title, ""), " ", "-"))
		}
	}
	return list
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

var (
	ours      = regexp.MustCompile(`^(?:\./)?((?:functions|shared|e2e|cmd|infra|events|docs|tools|\.ci|\.github)(?:/[\w.*{},-]+)+)/?$`)
	goCommand = regexp.MustCompile(`go (?:test|run|vet|build|generate)((?: +[^ \n|;#]+)*)`)
	testName  = regexp.MustCompile(`\bTest[A-Z]\w*(\.\.\.)?`)
	testFunc  = regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)`)
)

func TestPaths(t *testing.T) {
	seen := 0
	for path, text := range fixture.Documents(t) {
		for _, part := range code(text) {
			words := []string{part}
			for _, m := range goCommand.FindAllStringSubmatch(part, -1) {
				words = append(words, strings.Fields(m[1])...)
			}
			for _, word := range words {
				m := ours.FindStringSubmatch(strings.TrimSuffix(word, "/..."))
				if m == nil {
					continue
				}
				seen++
				if !exists(m[1]) && !exists(filepath.ToSlash(filepath.Join(filepath.Dir(path), m[1]))) {
					t.Errorf("%s names %s, which is not there", path, m[1])
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d paths were looked at: are they still found?", seen)
	}
}

func TestNamedTests(t *testing.T) {
	var tests []string
	fixture.Walk(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range testFunc.FindAllStringSubmatch(read(t, path), -1) {
				tests = append(tests, m[1])
			}
		}
	})
	seen := 0
	for path, text := range fixture.Documents(t) {
		for _, part := range code(text) {
			for _, m := range testName.FindAllStringSubmatch(part, -1) {
				if m[1] != "" { // a name that ends in dots stands for many tests
					continue
				}
				seen++
				// The beginning of a test's name is enough, as for -run.
				if !slices.ContainsFunc(tests, func(name string) bool { return strings.HasPrefix(name, m[0]) }) {
					t.Errorf("%s names %s, which is no test", path, m[0])
				}
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d names of tests were looked at: are they still found?", seen)
	}
}
