package routes

import (
	"cmp"
	"slices"
	"strings"
)

// Fallback is the Lambda function that serves all paths outside the other groups, and answers
// unknown ones with 404.
const Fallback = "analisi"

// Group is a route of API Gateway, whose paths lead to one Lambda function and share one limit of
// calls per second.
type Group struct {
	Path     string // may end in /{proxy+}, which matches any rest; "" matches all other paths
	Function string
	Weight   int
}

// fallbackWeight is for most pages, calendars, deals, /mcp and unknown paths.
const fallbackWeight = 3

// Groups returns the groups of Table, the fallback group first. A row with a Weight is its own
// group. The other rows of a function share one group per first folder, such as /v1/pro/{proxy+} or
// /v2/{proxy+}. A path without a folder is its own group, because no pattern of API Gateway matches
// several such paths.
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

// folder returns the pattern for all paths with the same first two parts, or a path of two parts
// itself. Below /v2 and /v3, all paths lead to one function.
func folder(path string) string {
	rest, alias := strings.CutPrefix(path, Alias+"/")
	parts := strings.Split(strings.TrimPrefix(rest, "/"), "/")
	if len(parts) <= 2 {
		return path
	}
	if parts[0] != "v1" && parts[0] != "x402" {
		return "/" + parts[0] + "/{proxy+}"
	}
	pattern := "/" + parts[0] + "/" + parts[1] + "/{proxy+}"
	if alias {
		pattern = Alias + pattern
	}
	return pattern
}

// Throttles divides perSecond calls among the groups by weight. Every group gets at least 1.
func Throttles(perSecond int) map[string]int {
	groups, left, all := Groups(), perSecond, 0
	for _, g := range groups {
		all += g.Weight
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(a.Weight, b.Weight) })
	rates := map[string]int{}
	for _, g := range groups { // each takes its share of the rest, so the rounded shares add up
		rates[g.Path] = max(1, (left*g.Weight+all/2)/all)
		left, all = left-rates[g.Path], all-g.Weight
	}
	return rates
}
