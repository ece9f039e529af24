package httpapi

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/web/routes"
)

type describer struct {
	schemas   huma.Registry
	problems  map[string]ProblemType
	functions map[string]bool
}

func (d *describer) operation(registered *huma.Operation, route routes.Route) *huma.Operation {
	op, desc := *registered, descriptionOf(registered)
	op.Tags = []string{route.Function}
	if len(route.Paths()) < 2 {
		op.Servers = []*huma.Server{{URL: "/",
			Description: "This host, without an alias"}}
	}
	if route.Keyed() {
		op.Security = []map[string][]string{{}, {keyScheme: {}}, {bearerScheme: {}}}
	}
	op.Description = cmp.Or(op.Description, op.Summary+".")
	op.Parameters = describeParameters(op.Parameters, desc.page)
	op.RequestBody = d.requestBody(op.RequestBody, route, desc)
	op.Responses = d.successes(&op, route, desc)
	problems := possibleProblems(route, desc)
	for _, status := range desc.Pages {
		if desc.page || problems[status] == nil {
			addPage(op.Responses, status, route)
		}
	}
	for status, possible := range problems {
		at := strconv.Itoa(status)
		if status >= http.StatusInternalServerError {
			at = failures
		}
		response := problemResponse(route, status, possible)
		if page := op.Responses[at]; page != nil {
			response.Content["text/html"] = page.Content["text/html"]
		}
		op.Responses[at] = response
		for _, p := range possible {
			d.problems[p.Code] = p
		}
	}
	return &op
}

func (d *describer) schema(value any) *huma.Schema {
	return d.schemas.Schema(reflect.TypeOf(value), true, "")
}

func (d *describer) requestBody(registered *huma.RequestBody, route routes.Route, desc description) *huma.RequestBody {
	if registered == nil {
		return nil
	}
	body := *registered
	body.Content = map[string]*huma.MediaType{}
	switch {
	case desc.Body != nil:
		schema := d.schema(desc.Body)
		body.Required = body.Required || len(d.schemas.SchemaFromRef(schema.Ref).Required) > 0
		if !desc.page {
			body.Content["application/json"] = &huma.MediaType{Schema: schema}
		}
		body.Content[formType] = &huma.MediaType{Schema: d.formSchema(schema)}
	case desc.rawBody: // Huma knows only that the body consists of bytes
		body.Content["application/json"] = &huma.MediaType{Schema: &huma.Schema{Type: "object",
			AdditionalProperties: true}}
	default:
		maps.Copy(body.Content, registered.Content)
		if route.Form {
			body.Content[formType] = &huma.MediaType{Schema: d.formSchema(registered.Content["application/json"].Schema)}
		}
	}
	return &body
}

func (d *describer) formSchema(schema *huma.Schema) *huma.Schema {
	form := &huma.Schema{Ref: schema.Ref, Properties: map[string]*huma.Schema{}}
	for name, property := range d.schemas.SchemaFromRef(schema.Ref).Properties {
		if property.Nullable {
			form.Properties[name] = &huma.Schema{Type: property.Type}
		}
	}
	return form
}

func (d *describer) successes(op *huma.Operation, route routes.Route, desc description) map[string]*huma.Response {
	at := strconv.Itoa(op.DefaultStatus)
	registered := op.Responses[at]
	response := &huma.Response{Description: registered.Description, Content: registered.Content,
		Headers: commonHeaders(route)}
	switch {
	case desc.Answer != nil:
		response.Content = map[string]*huma.MediaType{"application/json": {Schema: d.schema(desc.Answer)}}
	case desc.page:
		response.Content = nil
	}
	if desc.fields != nil { // with the parameter campi, even required fields may be absent
		whole := response.Content["application/json"]
		response.Content = map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{
			AnyOf: []*huma.Schema{whole.Schema, d.schema(Part{})}}, Examples: whole.Examples}}
	}
	if desc.Text != "" {
		response.Content[desc.Text] = &huma.MediaType{Schema: &huma.Schema{Type: "string"}}
	}
	for name, h := range registered.Headers {
		switch {
		case name == "Content-Type":
		case name == "Content-Security-Policy", name == "Referrer-Policy":
		case headers[name] != nil && route.Price > 0:
			response.Headers[name] = headerRef(name)
		case headers[name] != nil:
			response.Headers[name] = optionalHeader(name)
		default:
			described := *h
			described.Description = cmp.Or(h.Description, name)
			response.Headers[name] = &described
		}
	}
	responses := map[string]*huma.Response{at: response}
	if desc.tagged {
		responses["304"] = &huma.Response{Description: http.StatusText(http.StatusNotModified),
			Headers: commonHeaders(route)}
		for _, r := range responses {
			r.Headers["ETag"] = headerRef("ETag")
			if route.Keyed() {
				r.Headers["Vary"] = headerRef("Vary")
			}
		}
	}
	return responses
}

func addPage(responses map[string]*huma.Response, status int, route routes.Route) {
	at := strconv.Itoa(status)
	if responses[at] == nil {
		responses[at] = &huma.Response{Description: http.StatusText(status), Headers: commonHeaders(route)}
		if status >= http.StatusBadRequest {
			responses[at].Headers = problemHeaders(status)
		}
	}
	if responses[at].Content == nil {
		responses[at].Content = map[string]*huma.MediaType{}
	}
	responses[at].Content["text/html"] = &huma.MediaType{Schema: &huma.Schema{Type: "string"}}
}

const failures = "5XX"

// possibleProblems lists problems with a status above 500 under 500.
func possibleProblems(route routes.Route, desc description) map[int][]ProblemType {
	all := append([]ProblemType{BadRequest, Forbidden, TooMany, Internal, Unavailable}, desc.Problems...)
	if route.SingleFares {
		all = append(all, NotShown)
	}
	if route.Keyed() {
		all = append(all, BadKey, PlanEnded)
	}
	byStatus := map[int][]ProblemType{}
	for _, p := range all {
		status := p.Status
		if status > http.StatusInternalServerError {
			status = http.StatusInternalServerError
		}
		if !slices.Contains(byStatus[status], p) {
			byStatus[status] = append(byStatus[status], p)
		}
	}
	return byStatus
}

func problemResponse(route routes.Route, status int, possible []ProblemType) *huma.Response {
	var codes, statuses []any
	var texts []string
	h := problemHeaders(status)
	for _, p := range possible {
		codes = append(codes, p.Code)
		if !slices.Contains(statuses, any(p.Status)) {
			statuses = append(statuses, p.Status)
		}
		texts = append(texts, fmt.Sprintf("`%s`: %s", p.Code, p.Title))
		if p.Wait && status != http.StatusTooManyRequests {
			h["Retry-After"] = optionalHeader("Retry-After")
		}
	}
	if status == http.StatusPaymentRequired && route.Price > 0 {
		h["PAYMENT-REQUIRED"], h["PAYMENT-RESPONSE"] = headerRef("PAYMENT-REQUIRED"), optionalHeader("PAYMENT-RESPONSE")
	}
	if status == http.StatusUnauthorized {
		h["WWW-Authenticate"] = headerRef("WWW-Authenticate")
	}
	return &huma.Response{
		Description: strings.Join(texts, "; "),
		Headers:     h,
		Content: map[string]*huma.MediaType{"application/problem+json": {
			// The reference beside Properties lets generators use one type for all problems.
			Schema: &huma.Schema{Ref: "#/components/schemas/Problem", Properties: map[string]*huma.Schema{
				"status": {Enum: statuses},
				"code":   {Enum: codes},
			}},
		}},
	}
}
