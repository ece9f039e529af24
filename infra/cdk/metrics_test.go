package main

import (
	"go/ast"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var unwatched = map[string]string{
	"Throttled429": "a caller over its quota is no fault",
}

func TestAlarmsAndMetrics(t *testing.T) {
	logged := loggedMetrics(t)
	for _, name := range []string{"example", "most"} {
		h, stack := fixture(t, name), fixtureConfigs(t)[name].Name
		alarmed := map[string]bool{}
		known := func(where, metric, dimensions string) {
			function, ok := strings.CutPrefix(dimensions, "function=")
			function, inStack := strings.CutSuffix(function, " stack="+stack)
			if !ok || !inStack || !slices.Contains(logged[metric], function) {
				t.Errorf("%s: %s looks at %s by %q; it is logged by %q of stack %s", name, where, metric, dimensions,
					logged[metric], stack)
			}
			if where != "Dashboard" {
				alarmed[metric+" "+function] = true
			}
		}
		for id, r := range h.Resources {
			if r.Type != "AWS::CloudWatch::Alarm" {
				continue
			}
			looked := []any{map[string]any(r.Properties)}
			for _, m := range asList(r.Properties["Metrics"]) {
				looked = append(looked, at(m, "MetricStat", "Metric"))
			}
			for _, m := range looked {
				if at(m, "Namespace") == namespace {
					var dimensions []string
					for _, d := range asList(at(m, "Dimensions")) {
						dimensions = append(dimensions, compact(at(d, "Name"))+"="+compact(at(d, "Value")))
					}
					slices.Sort(dimensions)
					known(id, compact(at(m, "MetricName")), strings.Join(dimensions, " "))
				}
			}
		}
		// In the dashboard's JSON, a metric is a list: namespace, name, and then names and values of
		// dimensions.
		board := strings.ReplaceAll(compact(h.property("Dashboard", "DashboardBody")), `\"`, `"`)
		for _, part := range strings.Split(board, `["`+namespace+`","`)[1:] {
			w := strings.Split(part, `"`)
			known("Dashboard", w[0], w[2]+"="+w[4]+" "+w[6]+"="+w[8])
		}
		for metric, functions := range logged {
			for _, function := range functions {
				if watched := alarmed[metric+" "+function]; watched == (unwatched[metric] != "") {
					t.Errorf("%s: %s of %s has an alarm: %v; a reason for none: %q", name, metric, function, watched,
						unwatched[metric])
				}
			}
		}
	}
	for metric := range unwatched {
		if len(logged[metric]) == 0 {
			t.Errorf("%s is in the list and logged by no function", metric)
		}
	}
}

func loggedMetrics(t *testing.T) map[string][]string {
	t.Helper()
	logged := map[string][]string{}
	for _, root := range []string{"../../functions", "../../shared"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			ast.Inspect(parse(t, path), func(n ast.Node) bool {
				literal, ok := n.(*ast.CompositeLit)
				if !ok {
					return true
				}
				if typ, ok := literal.Type.(*ast.SelectorExpr); !ok || typ.Sel.Name != "Metric" {
					return true
				}
				for _, e := range literal.Elts {
					pair, ok := e.(*ast.KeyValueExpr)
					if key, named := pair.Key.(*ast.Ident); !ok || !named || key.Name != "Name" {
						continue
					}
					name, err := strconv.Unquote(pair.Value.(*ast.BasicLit).Value)
					if err != nil {
						t.Errorf("%s: a metric whose name is no text: %v", path, err)
					}
					logged[name] = loggers(t, path, name)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return logged
}

func loggers(t *testing.T, path, metric string) (names []string) {
	for _, f := range functions {
		switch dir := filepath.ToSlash(filepath.Dir(path)); {
		case dir == "../../functions/"+f.name, dir == "../../shared/web/httpapi" &&
			f.http, dir == "../../shared/carrier/mail/instrumented" && f.worker,
			dir == "../../shared/notify/outbox" && f.worker && f.http:
			names = append(names, f.name)
		}
	}
	if len(names) == 0 {
		t.Errorf("%s logs %s, and no known function contains it", path, metric)
	}
	return names
}
