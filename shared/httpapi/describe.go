package httpapi

import (
	"cmp"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// form is the media type of what a page's form sends.
const form = "application/x-www-form-urlencoded"

// statuses are those of the problems that an endpoint can meet by itself.
func (d Doc) statuses() []int {
	statuses := []int{http.StatusBadRequest}
	for _, k := range d.Problems {
		statuses = append(statuses, k.Status)
	}
	slices.Sort(statuses)
	return slices.Compact(statuses)
}

// responses describes what Huma cannot read from the handler's type.
func (a *API) responses(doc Doc) map[string]*huma.Response {
	responses := map[string]*huma.Response{}
	for _, status := range doc.Statuses {
		responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status)}
	}
	if doc.Answer != nil {
		schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(doc.Answer), true, "")
		status := cmp.Or(doc.Status, http.StatusOK)
		responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
		}
	}
	return responses
}

// body begins the description of a body that describe completes; nil leaves it to Huma.
func (a *API) body(doc Doc, forms bool) *huma.RequestBody {
	if doc.Takes == nil && !forms {
		return nil
	}
	return &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{}}
}

// asForm is the schema of an object as a form says it: without null, which a form cannot write.
func (a *API) asForm(schema *huma.Schema) *huma.Schema {
	object := *a.huma.OpenAPI().Components.Schemas.SchemaFromRef(schema.Ref)
	object.Properties = maps.Clone(object.Properties)
	differs := false
	for name, property := range object.Properties {
		plain := *property
		differs, plain.Nullable = differs || plain.Nullable, false
		object.Properties[name] = &plain
	}
	if !differs {
		return schema
	}
	return &object
}

// describe completes what Huma has read from an endpoint's types.
func (a *API) describe(o huma.Operation, doc Doc, forms bool) {
	if forms {
		o.RequestBody.Content[form] = &huma.MediaType{Schema: a.asForm(o.RequestBody.Content["application/json"].Schema)}
	}
	if doc.Takes != nil {
		schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(doc.Takes), true, "")
		clear(o.RequestBody.Content)
		if !doc.bare() {
			o.RequestBody.Content["application/json"] = &huma.MediaType{Schema: schema}
		}
		o.RequestBody.Required = !doc.bare() // which tells who leaves it out by a page as well
		o.RequestBody.Content[form] = &huma.MediaType{Schema: a.asForm(schema)}
	}
	for _, status := range doc.Pages {
		text := strconv.Itoa(status)
		if o.Responses[text] == nil {
			o.Responses[text] = &huma.Response{Description: http.StatusText(status)}
		}
		if o.Responses[text].Content == nil || doc.bare() {
			o.Responses[text].Content = map[string]*huma.MediaType{}
		}
		o.Responses[text].Content["text/html"] = &huma.MediaType{Schema: &huma.Schema{Type: "string"}}
	}
}
