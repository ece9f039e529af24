package routes

import (
	"cmp"
	"slices"
	"strings"
)

// Fallback is the Lambda function that answers unknown paths.
const Fallback = "analisi"

// FreeTierClosed begins the text of the firewall's answer 503 to a call without a key.
const FreeTierClosed = "Calls without a key are closed for now."

// Share is a route of API Gateway: paths that lead to one Lambda function and have a common limit
// of calls per second. CloudFront writes /NAME before the path, because a route of API Gateway
// cannot match several unrelated paths.
type Share struct {
	Name, Function string
	Weight         int
}

var Shares = []Share{
	{"page", Fallback, 2},
	{"verdict", Fallback, 2},
	{"agents", Fallback, 1},
	{"documents", Fallback, 1}, // separate, so that crawlers cannot use up the limit of other pages
	{"trends", "pricetrends", 1},
	{"shop", "pro", 1},
	{"webhook", "pro", 1}, // separate, so that strangers in the shop cannot use up this limit
	{"alerts", "alerts", 1},
	{"amadeus", "compat", 1},
	{"answers", "x402", 1},
}

func shareNamed(name string) Share {
	return Shares[slices.IndexFunc(Shares, func(s Share) bool { return s.Name == name })]
}

// Throttles divides perSecond calls among the shares by weight. Every share gets at least 1.
func Throttles(perSecond int) map[string]int {
	rates, left, all := map[string]int{}, perSecond, 0
	for _, s := range Shares {
		all += s.Weight
	}
	for _, s := range slices.Backward(Shares) {
		rates[s.Name] = max(1, (left*s.Weight+all/2)/all)
		left, all = left-rates[s.Name], all-s.Weight
	}
	return rates
}

type Behaviour struct {
	Pattern string // may end in *, which matches any suffix
	Route   Route
}

// Behaviours returns the cache behaviours in the order in which CloudFront compares them with a
// path.
func Behaviours() []Behaviour {
	var all []Behaviour
	for _, r := range Table {
		for _, p := range r.Paths() {
			p = strings.ReplaceAll(p, "{file}", "*")
			if r.Edge == (Edge{}) && len(r.Headers) == 0 {
				if r.Share == Shares[0].Name {
					continue
				}
				p = folder(p)
			}
			if !slices.ContainsFunc(all, func(b Behaviour) bool { return b.Pattern == p }) {
				all = append(all, Behaviour{p, r})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Behaviour) int {
		return cmp.Compare(strings.Count(a.Pattern, "*"), strings.Count(b.Pattern, "*"))
	})
	return all
}

func Matching(path string) (b Behaviour, ok bool) {
	for _, b := range Behaviours() {
		if prefix, wild := strings.CutSuffix(b.Pattern, "*"); b.Pattern == path || wild && strings.HasPrefix(path, prefix) {
			return b, true
		}
	}
	return Behaviour{}, false
}

func ShareOf(path string) Share {
	b, _ := Matching(path)
	return shareNamed(cmp.Or(b.Route.Share, Shares[0].Name))
}

func folder(path string) string {
	rest, alias := strings.CutPrefix(path, Alias+"/")
	parts := strings.Split(strings.TrimPrefix(rest, "/"), "/")
	if len(parts) <= 2 {
		return path
	}
	if parts[0] != "v1" && parts[0] != "x402" {
		return "/" + parts[0] + "/*"
	}
	pattern := "/" + parts[0] + "/" + parts[1] + "/*"
	if alias {
		pattern = Alias + pattern
	}
	return pattern
}
