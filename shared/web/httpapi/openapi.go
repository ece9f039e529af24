package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/web/routes"
)

const (
	keyScheme    = "ApiKey"
	bearerScheme = "Bearer"
)

// functionTags describe the groups of endpoints.
var functionTags = map[string]string{
	"alerts":      "Price-drop alerts by e-mail",
	"analisi":     "Verdicts, and what they rest on",
	"pricetrends": "Price trends and popular destinations of an origin",
	"pro":         "The paid plan: by card, in USDC, and lost keys",
	"x402":        "Answers for a payment each, without a key, where the operator sells them so",
}

// Describe returns the OpenAPI description of the typed endpoints. It completes what Huma reads
// from the types with what this package adds to every answer. It leaves out paths outside /v1,
// except those that sell answers of /v1 per call.
func (a *API) Describe() *huma.OpenAPI {
	registered := a.huma.OpenAPI()
	o := &huma.OpenAPI{
		OpenAPI: registered.OpenAPI,
		Info: &huma.Info{
			Title:   "Verdetto",
			Version: Version,
			Description: "Says whether today's cheapest fare on a flight route is cheap, judged against that route's " +
				"own observed history, and how sure it is. " +
				"Fares are one-way, economy, for one adult; no bookable fare is ever given.\n\n" +
				"Every path under /v1 also answers with " + routes.Alias +
				" before it, and GET paths answer HEAD, but for the one that shows a key once and those " +
				"that are paid one by one. " +
				"Without a key calls are free up to a cap for each address; a Pro key goes into " + KeyHeader + ". " +
				"Every answer that is no success is a problem document (RFC 9457) whose `code` is stable; GET " +
				"/v1/docs says of each what to do. " +
				"Who would rather have text/html, as browsers would, is shown it as a page.",
			Contact: &huma.Contact{Name: "Verdetto"},
			License: &huma.License{Name: "Observed fares, for information only; city names of OpenTravelData and " +
				"GeoNames under CC BY 4.0", Identifier: "CC-BY-4.0"},
		},
		Servers: []*huma.Server{
			{URL: "/", Description: "The host that this description comes from"},
			{URL: routes.Alias, Description: "The same under the alias"},
		},
		Security: []map[string][]string{{}}, // no key, unless an operation says otherwise
		Components: &huma.Components{
			Schemas: registered.Components.Schemas,
			Headers: headers,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				keyScheme: {
					Type: "apiKey", In: "header", Name: KeyHeader,
					Description: "A Pro key: bought by card or in USDC, see GET /v1/docs. A key that is unknown, " +
						"replaced or whose plan has ended is refused, never taken for none.",
				},
				bearerScheme: {Type: "http", Scheme: "bearer",
					Description: "The same key, for programs that send keys so."},
			},
		},
		Paths: map[string]*huma.PathItem{},
	}
	d := &describer{
		schemas: registered.Components.Schemas,
		// problems of no single operation
		problems:  map[string]ProblemType{UnknownPath.Code: UnknownPath, WrongMethod.Code: WrongMethod},
		functions: map[string]bool{},
	}
	for path, item := range registered.Paths {
		if described := d.path(item); described != nil {
			o.Paths[path] = described
		}
	}
	for _, f := range slices.Sorted(maps.Keys(d.functions)) {
		o.Tags = append(o.Tags, &huma.Tag{Name: f, Description: cmp.Or(functionTags[f], "The endpoints of "+f)})
	}
	o.Extensions = map[string]any{"x-problems": problemList(d.problems)}
	return o
}

// path describes the operations of a path, or returns nil if the path is not part of the API. It
// works on copies, because Huma validates with the originals.
func (d *describer) path(registered *huma.PathItem) *huma.PathItem {
	item := *registered
	for _, op := range []**huma.Operation{&item.Get, &item.Post, &item.Put, &item.Patch, &item.Delete} {
		if *op == nil {
			continue
		}
		route := routes.Named((*op).OperationID)
		if !route.Described() {
			return nil
		}
		d.functions[route.Function] = true
		*op = d.operation(*op, route)
	}
	return &item
}

func problemList(problems map[string]ProblemType) []map[string]any {
	var list []map[string]any
	for _, code := range slices.Sorted(maps.Keys(problems)) {
		list = append(list, map[string]any{"code": code, "status": problems[code].Status,
			"title": problems[code].Title})
	}
	return list
}

// WriteDescription encodes the description in its published form.
func WriteDescription(o *huma.OpenAPI) ([]byte, error) {
	compact, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("write description: %w", err)
	}
	var tree any
	decoder := json.NewDecoder(bytes.NewReader(compact))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("write description: %w", err)
	}
	standardize("", tree)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(tree); err != nil {
		return nil, fmt.Errorf("write description: %w", err)
	}
	return out.Bytes(), nil
}

// describedPatterns are the patterns of formats that only the description uses. Handlers validate
// such fields themselves, to report all faults together.
var describedPatterns = map[string]string{
	"hex32":          "^[0-9A-Fa-f]{32}$",
	"hex32-or-empty": "^([0-9A-Fa-f]{32})?$", // a form sends an empty field too
}

// standardize removes Huma's extensions that are not part of OpenAPI. It adds patterns to e-mail
// fields and to fields of describedPatterns.
func standardize(name string, node any) {
	switch node := node.(type) {
	case map[string]any:
		if _, ok := node["pattern"].(string); ok {
			delete(node, "patternDescription")
		}
		if _, ok := node["pattern"]; !ok && name == "email" && node["type"] == "string" {
			node["pattern"] = emailPattern
			delete(node, "format") // the format is wider than the pattern
		}
		if format, ok := node["format"].(string); ok && describedPatterns[format] != "" {
			node["pattern"] = describedPatterns[format]
			delete(node, "format")
		}
		for key, below := range node {
			standardize(key, below)
		}
	case []any:
		for _, below := range node {
			standardize("", below)
		}
	}
}
