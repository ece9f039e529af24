package main

import (
	"go/ast"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestAlarmMetricsAreLogged: alarms and graphs look at metrics that the functions' log
// lines hold, with the same dimensions. A metric that nobody makes would be an
// alarm that stays silent, or never does.
func TestAlarmMetricsAreLogged(t *testing.T) {
	byRoute := loggedMetrics(t)
	h := fixture(t, "example")
	seen := map[string]bool{}
	check := func(where, metric string, dimensions ...string) {
		seen[metric] = true
		route, ok := byRoute[metric]
		switch got := strings.Join(dimensions, ","); {
		case !ok:
			t.Errorf("%s looks at %s, which no function makes", where, metric)
		case got != "function" && !(route && got == "function,route"):
			t.Errorf("%s looks at %s by %q", where, metric, got)
		}
	}
	for id, r := range h.Resources {
		if r.Type == "AWS::CloudWatch::Alarm" && r.Properties["Namespace"] == namespace {
			var dimensions []string
			for _, d := range asList(r.Properties["Dimensions"]) {
				dimensions = append(dimensions, compact(at(d, "Name")))
			}
			check(id, compact(r.Properties["MetricName"]), dimensions...)
		}
	}
	// The dashboard is a text of JSON with references in it. A metric of a graph is
	// a list: its namespace, its name, names and values of dimensions by turns.
	board := strings.ReplaceAll(compact(h.property("Dashboard", "DashboardBody")), `\"`, `"`)
	for part := range strings.SplitSeq(board, `["`+namespace+`","`) {
		if words := strings.Split(part, `"`); len(words) > 6 && !strings.HasPrefix(part, "{") {
			if words[2] == "function" && words[6] == "route" {
				check("the dashboard", words[0], "function", "route")
			} else {
				check("the dashboard", words[0], words[2])
			}
		}
	}
	for _, must := range []string{"LatencyMs", "Errors5xx", "Throttled429", "DataAgeDays", "ScoreWeeksOut", "OriginsAsked", "OriginsFailed", "MailSent", "MailRefused", "MailFailed"} {
		if !seen[must] {
			t.Errorf("nothing looks at %s", must)
		}
	}
}

// loggedMetrics reads from the sources which metrics are made, and whether they have the dimension of routes.
func loggedMetrics(t *testing.T) map[string]bool {
	t.Helper()
	byRoute := map[string]bool{}
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
				of, ok := literal.Type.(*ast.SelectorExpr)
				if !ok || of.Sel.Name != "Metric" {
					return true
				}
				name, route := "", false
				for _, e := range literal.Elts {
					pair, ok := e.(*ast.KeyValueExpr)
					if !ok {
						continue
					}
					switch key, _ := pair.Key.(*ast.Ident); key.Name {
					case "Name":
						if text, ok := pair.Value.(*ast.BasicLit); ok {
							name, _ = strconv.Unquote(text.Value)
						}
					case "By":
						route = true
					}
				}
				byRoute[name] = byRoute[name] || route
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return byRoute
}
