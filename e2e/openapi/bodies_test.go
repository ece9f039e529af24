package openapi

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

type field struct {
	Type      any
	Enum      []any
	Pattern   string
	MinLength int
}

func (f field) mayBeNull() bool {
	types, several := f.Type.([]any)
	return several && slices.Contains(types, any("null"))
}

func (f field) mayBeEmpty() bool {
	return f.Type == "string" && f.MinLength == 0 && (f.Enum == nil || slices.Contains(f.Enum, any(""))) &&
		regexp.MustCompile(f.Pattern).MatchString("")
}

type fields struct {
	Ref        string `json:"$ref"`
	Required   []string
	Properties map[string]field
}

// In a form, an empty field counts as omitted, so a required field must not be empty.
func TestBodiesAreDescribedAsTheyAreRead(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(fixture.Path(t, fixture.DescriptionFile))
	if err != nil {
		t.Fatal(err)
	}
	var description struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Required bool
				Content  map[string]struct{ Schema fields }
			}
		}
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(data, &description); err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for path, operations := range description.Paths {
		for method, operation := range operations {
			for kind, content := range operation.RequestBody.Content {
				body := content.Schema
				if name := strings.TrimPrefix(body.Ref, "#/components/schemas/"); name != "" {
					body = fields{}
					if err := json.Unmarshal(description.Components.Schemas[name], &body); err != nil {
						t.Fatal(err)
					}
				}
				for name, narrower := range content.Schema.Properties { // content.Schema may narrow a type of the referenced schema
					f := body.Properties[name]
					f.Type = narrower.Type
					body.Properties[name] = f
				}
				where := method + " " + path + " as " + kind
				if len(body.Required) > 0 && !operation.RequestBody.Required {
					t.Errorf("%s: %v is required, and the body is not", where, body.Required)
				}
				for name, f := range body.Properties {
					seen[kind]++
					required, form := slices.Contains(body.Required, name), kind == fixture.Form
					if f.mayBeNull() != (!required && !form) {
						t.Errorf("%s: %s is required: %v, and may be null: %v", where, name, required, f.mayBeNull())
					}
					if form && required && f.mayBeEmpty() {
						t.Errorf("%s: %s is required, and may be empty", where, name)
					}
				}
			}
		}
	}
	if seen["application/json"] < 5 || seen[fixture.Form] < 5 {
		t.Errorf("fields were found as %v", seen)
	}
}
