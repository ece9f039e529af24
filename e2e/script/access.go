package script

import (
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore/schema"
	"verdetto/shared/web/routes"
)

var used sync.Map

// Accesses returns a table that fails the test if a Lambda function has no right to access a partition.
// doing returns the name of the Lambda function, or "" if nothing is to be checked.
func Accesses(t testing.TB, table store.Table, doing func() string) store.Table {
	return &fixture.Recorder{Table: table, Before: func(does string, keys ...store.Key) {
		function := doing()
		if function == "" {
			return
		}
		how, may := " writes ", schema.WrittenBy(function)
		if does == "read" {
			how, may = " reads ", schema.ReadBy(function)
		}
		for _, key := range keys {
			by := slices.IndexFunc(may, func(pattern string) bool {
				prefix, any := strings.CutSuffix(pattern, "*")
				return key.Partition == pattern || any && strings.HasPrefix(key.Partition, prefix)
			})
			if by < 0 {
				t.Errorf("%s%s%s, which schema.Accesses does not have", function, how, key.Partition)
				continue
			}
			used.Store(function+how+may[by], true)
		}
	}}
}

func Unused() (all []string) {
	for _, function := range []string{"alerts", "analisi", "compat", "pricetrends", "pro", "refresh", "x402"} {
		for how, may := range map[string][]string{" reads ": schema.ReadBy(function), " writes ": schema.WrittenBy(function)} {
			for _, partition := range may {
				if _, ok := used.Load(function + how + partition); !ok {
					all = append(all, function+how+partition)
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

func functionOf(target string) string {
	if r, ok := routeOf("", target); ok {
		return r.Function
	}
	return "analisi" // analisi answers unknown paths
}

func routeOf(method, target string) (routes.Route, bool) {
	at := strings.TrimPrefix(target, routes.Alias)
	for _, r := range routes.Table {
		if ok, _ := path.Match(strings.ReplaceAll(r.Path, "{file}", "*"), at); ok && (method == "" || method == r.Method) {
			return r, true
		}
	}
	return routes.Route{}, false
}
