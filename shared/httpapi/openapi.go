package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/i18n"
	"verdetto/shared/routes"
)

// Describe gives the OpenAPI description of the endpoints that are registered
// here: what Huma reads from the handlers' types, completed with what the door
// adds to every answer. An operation's documented answers are all that it ever
// gives; a test holds every answer of the service against it. Paths outside of
// /v1 are pages and other protocols, and no part of the API.
func (a *API) Describe() *huma.OpenAPI {
	o := a.huma.OpenAPI()
	o.Info = &huma.Info{
		Title:   "Verdetto",
		Version: Version,
		Description: "Says whether today's cheapest fare on a flight route is cheap, judged against that route's own observed history, and how sure it is. " +
			"Fares are one-way, economy, for one adult; no bookable fare is ever given.\n\n" +
			"Every path also answers with " + routes.Alias + " before it, and GET paths answer HEAD, but for the one that shows a key once. " +
			"Without a key calls are free up to a cap for each address; a Pro key goes into " + KeyHeader + ". " +
			"Every answer that is no success is a problem document (RFC 9457) whose `code` is stable; GET /v1/docs says of each what to do. " +
			"Who would rather have text/html, as browsers would, is shown it as a page.",
		Contact: &huma.Contact{Name: "Verdetto"},
		License: &huma.License{Name: "Observed fares, for information only; city names of OpenTravelData and GeoNames under CC BY 4.0", Identifier: "CC-BY-4.0"},
	}
	o.Servers = []*huma.Server{
		{URL: "/", Description: "The host that this description comes from"},
		{URL: routes.Alias, Description: "The same under the alias"},
	}
	o.Security = []map[string][]string{{}} // no key, unless an operation says otherwise
	c := o.Components
	c.SecuritySchemes = map[string]*huma.SecurityScheme{keyScheme: {
		Type: "apiKey", In: "header", Name: KeyHeader,
		Description: "A Pro key: bought by card or in USDC, see GET /v1/docs. A key that is unknown, replaced or whose plan has ended is refused, never taken for none.",
	}}
	c.Headers = headers
	kinds := map[string]ProblemType{}
	functions := map[string]bool{}
	for path, item := range o.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			route := routes.Named(op.OperationID)
			if len(route.Paths()) < 2 { // no part of the API
				delete(o.Paths, path)
				continue
			}
			functions[route.Function] = true
			a.complete(op, route, kinds)
		}
	}
	o.Tags = nil
	for _, f := range slices.Sorted(maps.Keys(functions)) {
		o.Tags = append(o.Tags, &huma.Tag{Name: f, Description: cmp.Or(tags[f], "The endpoints of "+f)})
	}
	o.Extensions = map[string]any{"x-problems": problems(kinds)}
	return o
}

const keyScheme = "ApiKey"

// tags say what the groups of endpoints are for.
var tags = map[string]string{
	"alerts":      "Price-drop alerts by e-mail",
	"analisi":     "Verdicts, and what they rest on",
	"pricetrends": "Price trends and popular destinations of an origin",
	"pro":         "The paid plan: by card, in USDC, and lost keys",
}

// headers are those that the door sends, as they are where an answer always has
// them; an operation's answers refer to them.
var headers = map[string]*huma.Header{
	"Cache-Control":         said(true, "How long a cache may keep the answer", "no-store"),
	"ETag":                  said(true, "Changes with the answer; send it back in If-None-Match", `"pAcTcAyyXAh9ISDL"`),
	"Vary":                  said(true, "The request headers that the answer depends on", KeyHeader),
	"WWW-Authenticate":      said(true, "How to be known", keyScheme),
	"X-Cache":               said(false, "Whether the edge had the answer already", "MISS"),
	"X-Data":                said(false, "Present where the fares behind the answers are invented, as they are on a desk", "sample", "sample"),
	"X-Plan":                said(false, "Present where a key was sent and is in force", "pro", "pro"),
	"X-RateLimit-Limit":     whole(true, "How many calls the caller has in the present window", 1, 30),
	"X-RateLimit-Remaining": whole(false, "How many of them are left; absent where the edge shares an answer", 0, 29),
	"X-RateLimit-Reset":     whole(true, "When the window ends, in Unix seconds", 0, int(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC).Unix())),
	"Retry-After":           whole(true, "How many seconds to wait before asking again", 1, 5),
}

func said(always bool, description, example string, values ...any) *huma.Header {
	return &huma.Header{Required: always, Description: description, Schema: &huma.Schema{Type: "string", Enum: values}, Example: example}
}

func whole(always bool, description string, least, example int) *huma.Header {
	l := float64(least)
	return &huma.Header{Required: always, Description: description, Schema: &huma.Schema{Type: "integer", Format: "int64", Minimum: &l}, Example: example}
}

// always refers to a header; maybe describes one that an answer can lack, though others always have it.
func always(name string) *huma.Header { return &huma.Header{Ref: "#/components/headers/" + name} }

func maybe(name string) *huma.Header {
	h := *headers[name]
	if !h.Required {
		return always(name)
	}
	h.Required = false
	return &h
}

// complete adds to an operation what the door does for it.
func (a *API) complete(op *huma.Operation, route routes.Route, kinds map[string]ProblemType) {
	doc := a.docs[route.Name]
	op.Tags = []string{route.Function}
	if route.Keyed() {
		op.Security = []map[string][]string{{}, {keyScheme: {}}}
	}
	op.Description = strings.TrimSpace(cmp.Or(op.Description, op.Summary+".") + capsText(route))
	op.Parameters = parameters(op.Parameters)
	if doc.Raw && op.RequestBody != nil { // of bytes Huma knows no more than that they are such
		if raw := op.RequestBody.Content["application/json"]; raw != nil && raw.Schema.Ref == "" {
			raw.Schema = &huma.Schema{Type: "object", AdditionalProperties: true}
		}
	}
	responses := map[string]*huma.Response{}
	for status, r := range op.Responses {
		if n, err := strconv.Atoi(status); err == nil && n < 400 {
			responses[status] = a.success(r, n, route, doc)
		}
	}
	for _, status := range doc.Pages {
		at := strconv.Itoa(status)
		r := responses[at]
		if r == nil {
			r = &huma.Response{Description: http.StatusText(status), Headers: common(route, status)}
			responses[at] = r
		}
		if r.Content == nil {
			r.Content = map[string]*huma.MediaType{}
		}
		delete(r.Content, "application/octet-stream")
		r.Content["text/html"] = &huma.MediaType{Schema: &huma.Schema{Type: "string", Description: "A page for people"}}
	}
	for status, possible := range met(route, doc) {
		at := strconv.Itoa(status)
		problem := a.problem(route, status, possible)
		if page := responses[at]; page != nil {
			problem.Content["text/html"] = page.Content["text/html"]
		}
		responses[at] = problem
		for _, k := range possible {
			kinds[k.Code] = k
		}
	}
	op.Responses = responses
}

// met gives the problems that an operation can meet, by status.
func met(route routes.Route, doc Doc) map[int][]ProblemType {
	all := append([]ProblemType{BadRequest, Forbidden, Internal, Unavailable}, doc.Problems...)
	if route.Keyed() {
		all = append(all, BadKey, PlanEnded)
	}
	if route.Keyed() || route.Free != (routes.Cap{}) {
		all = append(all, TooMany)
	}
	byStatus := map[int][]ProblemType{}
	for _, k := range all {
		if !slices.Contains(byStatus[k.Status], k) {
			byStatus[k.Status] = append(byStatus[k.Status], k)
		}
	}
	return byStatus
}

// common gives the headers that any answer of an operation with a status may carry.
func common(route routes.Route, status int) map[string]*huma.Header {
	h := map[string]*huma.Header{"Cache-Control": always("Cache-Control"), "X-Data": always("X-Data")}
	if route.Keyed() || route.Free != (routes.Cap{}) {
		limit := maybe // a 400 is not counted, unless it comes of a later look
		if status < 400 || status == http.StatusTooManyRequests {
			limit = always
		}
		for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
			h[name] = limit(name)
		}
	}
	if route.Keyed() {
		h["X-Plan"], h["X-Cache"] = always("X-Plan"), always("X-Cache")
	}
	return h
}

// success completes an answer that is none of a problem.
func (a *API) success(r *huma.Response, status int, route routes.Route, doc Doc) *huma.Response {
	done := &huma.Response{Description: r.Description, Content: r.Content, Headers: common(route, status)}
	for name, h := range r.Headers {
		if name == "Content-Type" { // said by the content
			continue
		}
		if _, ok := headers[name]; ok {
			done.Headers[name] = maybe(name)
			continue
		}
		h.Description = cmp.Or(h.Description, name)
		done.Headers[name] = h
	}
	if slices.Contains(doc.Statuses, http.StatusNotModified) {
		done.Headers["ETag"] = always("ETag")
		if route.Keyed() {
			done.Headers["Vary"] = always("Vary")
		}
	}
	return done
}

// problem describes the problem documents of a status by the codes that they can have.
func (a *API) problem(route routes.Route, status int, possible []ProblemType) *huma.Response {
	var codes []any
	var words []string
	h := common(route, status)
	for _, k := range possible {
		codes = append(codes, k.Code)
		words = append(words, fmt.Sprintf("`%s`: %s", k.Code, k.Title))
		switch {
		case status == http.StatusTooManyRequests:
			h["Retry-After"] = always("Retry-After")
		case k.Wait:
			h["Retry-After"] = maybe("Retry-After")
		}
	}
	if status == http.StatusUnauthorized {
		h["WWW-Authenticate"] = always("WWW-Authenticate")
	}
	return &huma.Response{
		Description: strings.Join(words, "; "),
		Headers:     h,
		Content: map[string]*huma.MediaType{"application/problem+json": {
			Schema: &huma.Schema{AllOf: []*huma.Schema{
				{Ref: "#/components/schemas/Problem"},
				{Type: "object", Properties: map[string]*huma.Schema{
					"status": {Type: "integer", Enum: []any{status}},
					"code":   {Type: "string", Enum: codes},
				}},
			}},
		}},
	}
}

// problems lists every code of the API, as the extension x-problems.
func problems(kinds map[string]ProblemType) []map[string]any {
	for _, k := range []ProblemType{UnknownPath, WrongMethod} { // no operation's own
		kinds[k.Code] = k
	}
	var list []map[string]any
	for _, code := range slices.Sorted(maps.Keys(kinds)) {
		list = append(list, map[string]any{"code": code, "status": kinds[code].Status, "title": kinds[code].Title})
	}
	return list
}

// parameters completes those that Huma found with what the door asks of them.
// Huma goes by the originals: they stay as they are.
func parameters(all []*huma.Param) []*huma.Param {
	var kept []*huma.Param
	for _, original := range all {
		p := *original
		if p.In == "header" && p.Name == "Accept" {
			continue // OpenAPI says it by the content of the answers
		}
		p.Description, p.Explode = cmp.Or(p.Description, usual(p.Name)), nil
		schema := *p.Schema
		schema.Description = ""
		if len(schema.Examples) > 0 {
			p.Example, schema.Examples = schema.Examples[0], nil
		}
		if p.In == "query" && schema.Type == "string" && len(schema.Enum) == 0 {
			longest, least := MaxParameter, 1
			schema.MaxLength = &longest
			switch {
			case schema.Pattern != "":
			case p.Name == "email":
				schema.Pattern = emailPattern
				if !p.Required {
					schema.Pattern = "^$|" + emailPattern
				}
			case p.Required:
				schema.MinLength, schema.Pattern = &least, plainNotBlank
			default:
				schema.Pattern = plain
			}
		}
		p.Schema = &schema
		kept = append(kept, &p)
	}
	return kept
}

// What text is, as a pattern: no control characters, and for what is required not
// only white space. It is spelled out: engines do not agree on what \s is.
const (
	control       = `\u0000-\u001f\u007f-\u009f`
	space         = ` \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`
	plain         = `^[^` + control + `]*$`
	plainNotBlank = `^[^` + control + `]*[^` + space + control + `][^` + control + `]*$`
)

// emailPattern is what package mail takes for an address, which also wants no more
// than 64 characters before the @. A test holds the two together.
const emailPattern = "^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*" +
	"@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])$"

// usual describes a header that several endpoints read.
func usual(name string) string {
	switch name {
	case "Accept-Language":
		return i18n.Spoken() + ", where the answer holds text for people"
	case "If-None-Match":
		return "The ETag of an answer that the caller has"
	case "Stripe-Signature":
		return "The card processor's signature of the delivery"
	}
	return ""
}

// capsText says the caps of a route in words.
func capsText(r routes.Route) string {
	var words []string
	if r.Free != (routes.Cap{}) {
		words = append(words, r.Free.String()+" for each address without a key")
	}
	if r.Pro != (routes.Cap{}) {
		words = append(words, r.Pro.String()+" with a key")
	}
	if len(words) == 0 {
		return ""
	}
	return "\n\nCalls: " + strings.Join(words, ", ") + "."
}

// WriteDescription writes the description as it is published.
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
	polish("", tree)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(tree); err != nil {
		return nil, fmt.Errorf("write description: %w", err)
	}
	return out.Bytes(), nil
}

// polish takes out what is Huma's own and no part of OpenAPI, and says of fields
// that hold an e-mail address what one is.
func polish(name string, node any) {
	switch node := node.(type) {
	case map[string]any:
		if _, ok := node["pattern"].(string); ok {
			delete(node, "patternDescription")
		}
		if _, ok := node["pattern"]; !ok && name == "email" && node["type"] == "string" {
			node["pattern"] = emailPattern
			delete(node, "format") // is wider
		}
		for key, below := range node {
			polish(key, below)
		}
	case []any:
		for _, below := range node {
			polish("", below)
		}
	}
}
