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

var functionTags = map[string]string{
	"alerts":      "Price-drop alerts by email",
	"analisi":     "Verdicts and the data behind them",
	"pricetrends": "Price trends and popular destinations of an origin",
	"pro":         "The paid plan: by card, in USDC, and lost keys",
	"x402": "Answers sold for single payments by x402 (version 2, scheme exact, on Solana), without a key, if the " +
		"operator offers it. The payment is taken once the answer is ready. The same payment with the same call " +
		"returns the same answer for 24 hours",
}

// Describe returns the OpenAPI description of the typed endpoints under /v1 and of those that sell
// the same answers.
func (a *API) Describe() *huma.OpenAPI {
	registered := a.huma.OpenAPI()
	o := &huma.OpenAPI{
		OpenAPI: registered.OpenAPI,
		Info: &huma.Info{
			Title:   "Verdetto",
			Version: Version,
			Description: "Says whether today's cheapest fare on a flight route is cheap, compared with that route's " +
				"own observed history, and how sure that is. Fares are economy for 1 adult, one-way unless returns " +
				"are requested. No answer is a bookable offer.\n\n" +
				"Every path under /v1 also works under " + routes.Alias + "/v1. GET paths also answer HEAD, except the " +
				"path that shows a key once and those under /x402. Without a key, calls are free within a quota per " +
				"IP address; send a Pro key in " + KeyHeader + ". Every error is a problem document (RFC 9457) with a " +
				"stable `code`; GET /v1/docs says what to do for each. It may have any header of a success, " +
				"and has Cache-Control: no-store. " +
				"Amounts in Cent fields are hundredths of the " +
				"currency, EUR by default; dates and times are UTC unless stated otherwise. With Accept: text/html, " +
				"some answers and most errors are pages. GET " + usagePath + " returns your quotas.",
			Contact: &huma.Contact{Name: "Verdetto"},
			License: &huma.License{Name: "Observed fares, for information only; city names of OpenTravelData and " +
				"GeoNames under CC BY 4.0", Identifier: "CC-BY-4.0"},
		},
		Servers: []*huma.Server{
			{URL: "/", Description: "This host"},
			{URL: routes.Alias, Description: "This host, under the alias"},
		},
		Security: []map[string][]string{{}},
		Components: &huma.Components{
			Schemas: a.schemas.Registry,
			Headers: headerComponents(),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				keyScheme: {
					Type: "apiKey", In: "header", Name: KeyHeader,
					Description: "A Pro key: bought by card or in USDC, see GET /v1/docs. A key that is unknown, " +
						"replaced or whose plan has ended is refused, never taken for none.",
				},
				bearerScheme: {Type: "http", Scheme: "bearer",
					Description: "The same key, as a bearer token."},
			},
		},
		Paths: map[string]*huma.PathItem{},
	}
	d := &describer{
		schemas:   a.schemas.Registry,
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

// path works on copies, because Huma validates requests with the originals.
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

func WriteDescription(o *huma.OpenAPI) ([]byte, error) {
	compact, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("write description: %w", err)
	}
	var tree object
	decoder := json.NewDecoder(bytes.NewReader(compact))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("write description: %w", err)
	}
	standardize("", tree)
	openAnswers(tree)
	share(tree)
	texts := object{}
	shareTexts(tree, texts)
	maps.Copy(tree["components"].(object)["schemas"].(object), texts)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(tree); err != nil {
		return nil, fmt.Errorf("write description: %w", err)
	}
	return out.Bytes(), nil
}

// describedPatterns maps formats to patterns that only the description contains: handlers validate
// such fields themselves, so that one answer reports all faults.
var describedPatterns = map[string]string{
	"hex32":          "^[0-9A-Fa-f]{32}$",
	"hex32-or-empty": "^([0-9A-Fa-f]{32})?$", // a form also sends empty fields
}

// standardize removes patternDescription, which is not part of OpenAPI.
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
