package reference

import (
	"cmp"
	"slices"
	"strings"

	"verdetto/shared/web/routes"
)

type section struct {
	Name, Title, About string
	Ways               []string
}

// sections are in the order in which a newcomer needs them.
var sections = []section{
	{Name: "fares", Title: "Verdicts and fares"},
	{Name: "trends", Title: "Price trends"},
	{Name: "alerts", Title: "Alerts"},
	{Name: "plan", Title: "The paid plan", Ways: []string{"By card", "A lost key", "Checking and replacing a key"}},
	{Name: "usdc", Title: "The paid plan, in USDC", Ways: []string{"In USDC on Solana"}},
	{Name: "x402", Title: "Single answers for USDC", About: "A program without a key can pay for each answer, " +
		"by x402 (version 2, scheme exact, on Solana). Without a payment the answer is 402 with the terms. " +
		"The endpoint of the same name under /v1 returns the same answer without payment, within a quota."},
	{Name: "service", Title: "About the service"},
}

func sectionOf(r routes.Route) string {
	switch {
	case strings.Contains(r.Path, "cripta"):
		return "usdc"
	case r.Function == "pro" && !strings.HasPrefix(r.Path, "/v1/pro"), r.Name == "index", r.Name == "openapi",
		r.Name == "docs", r.Name == "agenti":
		return "service"
	}
	return cmp.Or(map[string]string{"pricetrends": "trends", "alerts": "alerts", "pro": "plan",
		"x402": "x402"}[r.Function], "fares")
}

type docsPage struct {
	Reference
	Address string
	Section *section
}

type linkedSection struct {
	section
	Endpoints []ReferenceEndpoint
}

func (p docsPage) List() (list []linkedSection) {
	for _, s := range sections {
		list = append(list, linkedSection{s, inSection(p.Endpoints, s.Name)})
	}
	return list
}

func (p docsPage) At(name string) bool { return p.Section != nil && p.Section.Name == name }

func (p docsPage) Shown() []ReferenceEndpoint { return inSection(p.Endpoints, p.Section.Name) }

func (p docsPage) First() ReferenceEndpoint { return p.Endpoints[0] }

func (p docsPage) Ways() (ways []ReferenceWay) {
	for _, w := range p.ProKey {
		if slices.Contains(p.Section.Ways, w.Name) {
			ways = append(ways, w)
		}
	}
	return ways
}

func (p docsPage) PageOf(way string) string {
	for _, s := range sections {
		if slices.Contains(s.Ways, way) {
			return s.Name
		}
	}
	return ""
}

func inSection(all []ReferenceEndpoint, name string) []ReferenceEndpoint {
	return slices.DeleteFunc(slices.Clone(all), func(e ReferenceEndpoint) bool { return e.Section != name })
}

type field struct {
	ID, Name, Value string
	Required        bool
	Choices         []any
}

func (e ReferenceEndpoint) Examples() []field { return e.fields(true) }

func (e ReferenceEndpoint) Options() []field { return e.fields(false) }

func (e ReferenceEndpoint) fields(withExample bool) (all []field) {
	for _, p := range e.Parameters {
		if p.In == "query" && (p.example != "") == withExample {
			all = append(all, field{"try-" + e.Name + "-" + p.Name, p.Name, p.example, p.Required, p.choices})
		}
	}
	return all
}
