package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"testing"
	"text/template"

	"github.com/BurntSushi/toml"
)

type props = map[string]any

type statement struct {
	Says, Choices string
	One, All      string
	Has, Is       props
	Count         *int
}

func statements(t *testing.T) []statement {
	t.Helper()
	type row struct {
		Name, ID        string
		Memory, Timeout int
		HTTP, Queue     bool
	}
	var rows []row
	for _, f := range functions {
		rows = append(rows, row{f.name, title(f.name), memory, f.timeout, f.http, f.worker})
	}
	var text bytes.Buffer
	if err := template.Must(template.New("statements.toml").Delims("<<",
		">>").ParseFiles("testdata/statements.toml")).Execute(&text, rows); err != nil {
		t.Fatal(err)
	}
	var table struct{ Statement []statement }
	if _, err := toml.NewDecoder(&text).Decode(&table); err != nil {
		t.Fatal(err)
	}
	return table.Statement
}

func (s statement) holds(resources []props) bool {
	if s.Count != nil {
		return len(resources) == *s.Count
	}
	fits := func(r props) bool {
		return matches(s.Is, r) && (len(s.Has) == 0 || matches(s.Has, r["Properties"]))
	}
	if s.One != "" {
		return slices.ContainsFunc(resources, fits)
	}
	return len(resources) > 0 && !slices.ContainsFunc(resources, func(r props) bool { return !fits(r) })
}

func matches(want, got any) bool {
	switch want := want.(type) {
	case props:
		if pattern, ok := want["like"].(string); ok {
			text, ok := got.(string)
			return ok && regexp.MustCompile(pattern).MatchString(text)
		}
		if every, ok := want["each"]; ok {
			list, _ := got.([]any)
			return len(list) > 0 && !slices.ContainsFunc(list, func(g any) bool { return !matches(every, g) })
		}
		if some, ok := want["includes"].([]any); ok {
			list, _ := got.([]any)
			return !slices.ContainsFunc(some, func(w any) bool {
				return !slices.ContainsFunc(list, func(g any) bool { return matches(w, g) })
			})
		}
		object, ok := got.(props)
		for k, w := range want {
			v, found := object[k]
			if absent, _ := w.(props); absent["absent"] == true {
				ok = ok && !found
			} else {
				ok = ok && matches(w, v)
			}
		}
		return ok
	case []any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(want, list, matches)
	case int64:
		return float64(want) == got
	}
	return want == got
}

func (s statement) spoiled(resources []props) []props {
	if s.Count != nil {
		return append(slices.Clone(resources), props{})
	}
	var changed []props
	for _, r := range resources {
		r = maps.Clone(r)
		properties, _ := r["Properties"].(props)
		properties = maps.Clone(properties)
		for k := range s.Has {
			properties[k] = "spoiled"
		}
		for k := range s.Is {
			delete(r, k)
		}
		r["Properties"] = properties
		changed = append(changed, r)
	}
	return changed
}

func TestStatements(t *testing.T) {
	all := statements(t)
	if len(all) < 100 {
		t.Errorf("only %d statements", len(all))
	}
	for _, s := range all {
		t.Run(s.Says, func(t *testing.T) {
			var template struct{ Resources map[string]props }
			if err := json.Unmarshal([]byte(fixture(t, cmp.Or(s.Choices, "example")).text), &template); err != nil {
				t.Fatal(err)
			}
			var resources []props
			for _, r := range template.Resources {
				if r["Type"] == cmp.Or(s.One, s.All) {
					resources = append(resources, r)
				}
			}
			if !s.holds(resources) {
				t.Errorf("want %v %v %s, got %s", compact(s.Has), compact(s.Is), cmp.Or(s.One, s.All),
					compact(resources))
			}
			if s.holds(s.spoiled(resources)) {
				t.Error("it holds also of resources that are changed so that it should not")
			}
		})
	}
}
