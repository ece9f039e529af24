// Package reference serves the documentation for developers and AI agents. The documents are the OpenAPI
// description, the reference generated from that description, llms.txt, the set-up of AI agents, the
// API catalog and the entry for the registry of MCP servers. Package reference reads no store. Start
// reading at Service.
package reference

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

type Service struct {
	BaseURL string
}

func (s *Service) Register(api *httpapi.API) {
	registerOpenAPI(api)
	s.registerDocs(api)
	s.registerAgents(api)
	s.registerDiscovery(api)
}

type Reference struct {
	Name           string              `json:"name" example:"Verdetto"`
	Version        string              `json:"version" example:"1.0.0"`
	Description    string              `json:"description"`
	Base           []string            `json:"base" doc:"Base addresses of every path"`
	Authentication ReferenceAuth       `json:"authentication"`
	ProKey         []ReferenceWay      `json:"proKey" doc:"How to get a Pro key, step by step"`
	Endpoints      []ReferenceEndpoint `json:"endpoints"`
	Problems       []ReferenceProblem  `json:"problems" doc:"Every problem code"`
	Rules          []ReferenceRule     `json:"rules" doc:"Limits, caching, units, freshness, honesty"`
	Links          []ReferenceLink     `json:"links" doc:"Other descriptions of the service"`
}

type ReferenceAuth struct {
	Header string `json:"header" example:"X-Api-Key"`
	Free   string `json:"free"`
	Pro    string `json:"pro"`
}

type ReferenceWay struct {
	Name  string   `json:"name"`
	Steps []string `json:"steps"`
}

type ReferenceEndpoint struct {
	Name        string               `json:"name" doc:"The operationId in the OpenAPI description"`
	Group       string               `json:"group"`
	Section     string               `json:"section" doc:"The page of the reference: a value of sezione"`
	Method      string               `json:"method"`
	Path        string               `json:"path"`
	Summary     string               `json:"summary"`
	Description string               `json:"description"`
	Free        string               `json:"free,omitempty" doc:"Quota without a key, per IP address"`
	Pro         string               `json:"pro,omitempty" doc:"Quota with a key"`
	Parameters  []ReferenceParameter `json:"parameters"`
	Answers     []ReferenceAnswer    `json:"answers"`
	Example     string               `json:"example,omitempty" doc:"A path and query to try"`
}

type ReferenceParameter struct {
	Name        string `json:"name"`
	In          string `json:"in" enum:"query,header,path,body"`
	Required    bool   `json:"required"`
	Description string `json:"description"`
	example     string
	choices     []any
}

type ReferenceAnswer struct {
	Status      string   `json:"status"`
	Description string   `json:"description"`
	ContentType []string `json:"contentType"`
}

type ReferenceProblem struct {
	Code   string `json:"code"`
	Type   string `json:"type" doc:"Type of the problem document: a link to this entry"`
	Status int    `json:"status"`
	Title  string `json:"title"`
	Do     string `json:"do" doc:"What to do next"`
}

type ReferenceRule struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type ReferenceLink struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

type operation struct {
	OperationID string `json:"operationId"`
	Summary     string
	Description string
	Tags        []string
	Parameters  []struct {
		Name, In, Description string
		Required              bool
		Example               any
		Schema                struct{ Enum []any }
	}
	RequestBody struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			}
		}
	}
	Responses map[string]struct {
		Description string
		Content     map[string]any
	}
}

func reference(api *httpapi.API) (Reference, error) {
	r, err := described()
	r.Endpoints = slices.Clone(r.Endpoints)
	for i, e := range r.Endpoints {
		route := api.Capped(routes.Named(e.Name))
		r.Endpoints[i].Free, r.Endpoints[i].Pro = route.Free.String(), route.Pro.String()
	}
	return r, err
}

var described = sync.OnceValues(func() (Reference, error) {
	var d struct {
		Info    struct{ Title, Version, Description string }
		Servers []struct{ URL string }
		Paths   map[string]map[string]operation
		Schemas struct {
			Schemas map[string]struct {
				Required   []string
				Properties map[string]struct{ Description string }
			}
		} `json:"components"`
		Problems []struct {
			Code, Title string
			Status      int
		} `json:"x-problems"`
	}
	whole, err := httpapi.ExpandDescription(description)
	if err == nil {
		err = json.Unmarshal(whole, &d)
	}
	if err != nil {
		return Reference{}, fmt.Errorf("read description: %w", err)
	}
	r := Reference{
		Name: d.Info.Title, Version: d.Info.Version,
		Authentication: ReferenceAuth{
			Header: httpapi.KeyHeader,
			Free: "No key and no signup. Calls are counted by IP address: all IPv6 addresses of a /64 count as " +
				"one, and those of a /48 also share a larger quota.",
			Pro: "A key in the header, or in Authorization: Bearer. Endpoints that read keys refuse one that is " +
				"unknown, replaced or of an ended plan with 401, and never answer as without a key.",
		},
		ProKey: advice().ProKey, Rules: advice().Rules, Links: links(),
	}
	r.Description, _, _ = strings.Cut(d.Info.Description, "\n\n")
	for _, s := range d.Servers {
		r.Base = append(r.Base, strings.TrimSuffix(s.URL, "/"))
	}
	for _, route := range routes.Table {
		op, ok := d.Paths[route.Path][strings.ToLower(route.Method)]
		if !ok || routes.NothingSold.Load() && route.Sells() {
			continue
		}
		about, _, _ := strings.Cut(op.Description, "\n\n")
		e := ReferenceEndpoint{
			Name: route.Name, Group: strings.Join(op.Tags, " "), Method: route.Method, Path: route.Path,
			Summary: op.Summary, Description: about, Section: sectionOf(route),
			Parameters: []ReferenceParameter{}, Answers: []ReferenceAnswer{},
		}
		query, whole := url.Values{}, route.Method == "GET"
		for _, p := range op.Parameters {
			parameter := ReferenceParameter{Name: p.Name, In: p.In, Required: p.Required, Description: p.Description,
				choices: p.Schema.Enum}
			if p.Example != nil {
				parameter.example = fmt.Sprint(p.Example)
			}
			e.Parameters = append(e.Parameters, parameter)
			if p.In == "query" && p.Example != nil {
				query.Set(p.Name, fmt.Sprint(p.Example))
			} else if p.Required {
				whole = false
			}
		}
		body := d.Schemas.Schemas[strings.TrimPrefix(op.RequestBody.Content["application/json"].Schema.Ref,
			"#/components/schemas/")]
		for _, name := range slices.Sorted(maps.Keys(body.Properties)) {
			e.Parameters = append(e.Parameters,
				ReferenceParameter{Name: name, In: "body", Required: slices.Contains(body.Required, name),
					Description: body.Properties[name].Description})
		}
		for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
			a := op.Responses[status]
			types := slices.Sorted(maps.Keys(a.Content))
			e.Answers = append(e.Answers, ReferenceAnswer{status, a.Description, append([]string{}, types...)})
		}
		if whole {
			e.Example = route.Path
			if len(query) > 0 {
				e.Example += "?" + query.Encode()
			}
		}
		r.Endpoints = append(r.Endpoints, e)
	}
	if routes.NothingSold.Load() {
		r.ProKey = []ReferenceWay{}
	}
	for _, p := range d.Problems {
		r.Problems = append(r.Problems, ReferenceProblem{p.Code, "/v1/docs#" + p.Code, p.Status, p.Title,
			advice().Advice[p.Code]})
	}
	return r, nil
})

func links() []ReferenceLink {
	var all []ReferenceLink
	for _, route := range routes.Table {
		if text, ok := map[string]string{
			"openapi": "The API in OpenAPI 3.1, with answers as examples",
			"index":   "The API in a nutshell",
			"llms":    "The service in one page of text, for language models",
			"mcp":     "The same questions as tools of the Model Context Protocol (streamable HTTP)",
			"home":    "The service for people",
			"agenti":  "How AI agents are given the service: set-up for common clients",

			"api-catalog": "The APIs of the service (RFC 9727)",
			"server-json": "The entry for the registry of MCP servers",
		}[route.Name]; ok {
			all = append(all, ReferenceLink{route.Path, text})
		}
	}
	return all
}
