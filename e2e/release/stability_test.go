package release

import (
	"bufio"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/runtime/config"
	"verdetto/shared/web/httpapi"
)

var update = flag.Bool("update", false, "add new names to the recorded list")

// names is a file with the names that docs/stability.md promises to keep.
const names = "testdata/names.txt"

func TestNothingIsRemoved(t *testing.T) {
	t.Parallel()
	published := publishedNames(t)
	for _, name := range []string{"GET /v1/analisi", "GET /v1/analisi ?origine", "GET /v1/analisi 200 Analysis",
		"Analysis.verdetto", "code citta-sconosciuta", "setting VERDETTO_STORE", "command verdetto serve",
		"flag verdetto serve --store"} {
		if !slices.Contains(published, name) {
			t.Errorf("the names lack %s", name)
		}
	}
	data, err := os.ReadFile(names)
	if err != nil && !*update {
		t.Fatal(err)
	}
	recorded := strings.Split(strings.TrimSpace(string(data)), "\n")
	for _, name := range recorded {
		if name != "" && !slices.Contains(published, name) {
			t.Errorf("%s was published, and is gone", name)
		}
	}
	fresh := slices.DeleteFunc(slices.Clone(published), func(name string) bool {
		return slices.Contains(recorded, name)
	})
	if len(fresh) > 0 && *update {
		all := slices.DeleteFunc(append(recorded, fresh...), func(name string) bool { return name == "" })
		slices.Sort(all)
		if err := os.WriteFile(names, []byte(strings.Join(all, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if len(fresh) > 0 {
		t.Errorf("new names, to record with -update: %q", fresh)
	}
	t.Logf("%d published names", len(published))
}

func publishedNames(t *testing.T) []string {
	t.Helper()
	all := map[string]bool{}
	apiNames(t, all)
	for _, s := range config.Settings {
		all["setting "+s.Name] = true
	}
	helped := bufio.NewScanner(strings.NewReader(read(t, "cmd/verdetto/testdata/help.txt")))
	flagName := regexp.MustCompile(`^ +(?:-\w, )?(--[a-z-]+)`)
	command := ""
	for helped.Scan() {
		if c, ok := strings.CutPrefix(helped.Text(), "$ "); ok {
			command = strings.TrimSuffix(c, " --help")
			all["command "+command] = true
		} else if f := flagName.FindStringSubmatch(helped.Text()); f != nil {
			all["flag "+command+" "+f[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func apiNames(t *testing.T, all map[string]bool) {
	t.Helper()
	type schema struct {
		Ref   string `json:"$ref"`
		AnyOf []struct {
			Ref string `json:"$ref"`
		} // AnyOf[0] is the whole answer, and the others are some fields of the answer
		Properties map[string]any
	}
	var d struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name string }
			Responses  map[string]struct {
				Content map[string]struct{ Schema schema }
			}
		}
		Components struct{ Schemas map[string]schema }
		Problems   []struct{ Code string } `json:"x-problems"`
	}
	data, err := httpapi.ExpandDescription([]byte(read(t, fixture.DescriptionFile)))
	if err == nil {
		err = json.Unmarshal(data, &d)
	}
	if err != nil {
		t.Fatal(err)
	}
	for path, operations := range d.Paths {
		for method, op := range operations {
			name := strings.ToUpper(method) + " " + path
			all[name] = true
			for _, p := range op.Parameters {
				all[name+" ?"+p.Name] = true
			}
			for status, response := range op.Responses {
				for _, content := range response.Content {
					ref := content.Schema.Ref
					if len(content.Schema.AnyOf) > 0 {
						ref = content.Schema.AnyOf[0].Ref
					}
					if at := strings.LastIndexByte(ref, '/'); at > 0 && status < "300" {
						all[name+" "+status+" "+ref[at+1:]] = true
					}
				}
			}
		}
	}
	for name, s := range d.Components.Schemas {
		for field := range s.Properties {
			all[name+"."+field] = true
		}
	}
	for _, p := range d.Problems {
		all["code "+p.Code] = true
	}
}
