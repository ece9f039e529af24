package routes

import (
	"cmp"
	"slices"
	"strings"
)

// Fallback is the function that answers every path without a group of its own: its own paths, and
// unknown ones with 404.
const Fallback = "analisi"

// Group is a route of API Gateway: the paths that it leads to one function and holds to one share of the throughput.
type Group struct {
	Path     string // may end in /{proxy+}, which stands for any rest; "" is every path of no other group
	Function string
	Weight   int
}

// fallbackWeight is that of the paths without a group: most of the pages, calendars, deals, /mcp and unknown paths.
const fallbackWeight = 3

// Groups lists the groups of the table, the fallback's first. A row with a Weight is a group of its own. The
// other rows of a function share one below each first folder of theirs, such as /v1/pro/{proxy+}; a path
// without a folder stands alone, since no pattern of API Gateway matches several of them.
func Groups() []Group {
	groups := []Group{{"", Fallback, fallbackWeight}}
	for _, r := range Table {
		for _, p := range r.Paths() {
			g := Group{p, r.Function, max(r.Weight, 1)}
			if r.Weight == 0 {
				if r.Function == Fallback {
					continue
				}
				g.Path = folder(p)
			}
			if !slices.Contains(groups, g) {
				groups = append(groups, g)
			}
		}
	}
	return groups
}

// folder returns the pattern of the paths below the first two parts of an endpoint's path, or a
// path of only two parts itself.
func folder(path string) string {
	rest, alias := strings.CutPrefix(path, Alias+"/")
	parts := strings.Split(strings.TrimPrefix(rest, "/"), "/")
	if len(parts) <= 2 {
		return path
	}
	pattern := "/" + parts[0] + "/" + parts[1] + "/{proxy+}"
	if alias {
		pattern = Alias + pattern
	}
	return pattern
}

// Throttles divides perSecond calls among the groups by their weights. Every group has at least one.
func Throttles(perSecond int) map[string]int {
	groups, left, all := Groups(), perSecond, 0
	for _, g := range groups {
		all += g.Weight
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(a.Weight, b.Weight) })
	rates := map[string]int{}
	for _, g := range groups { // each takes its share of the rest, so that the shares add up whatever is rounded
		rates[g.Path] = max(1, (left*g.Weight+all/2)/all)
		left, all = left-rates[g.Path], all-g.Weight
	}
	return rates
}
