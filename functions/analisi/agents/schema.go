package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/web/httpapi"
)

// schemaOf returns a schema without references, which some clients do not follow. The fields are
// strings, numbers, booleans and lists of strings.
func schemaOf[T any]() *huma.Schema {
	s := huma.NewMapRegistry("#/$defs/", huma.DefaultSchemaNamer).Schema(reflect.TypeFor[T](), false, "")
	for _, property := range s.Properties {
		property.Nullable = false // an optional argument is left out, never null
	}
	return s
}

// marshalSchema runs once per tool: each answer to tools/list reuses the bytes.
func marshalSchema(s *huma.Schema) json.RawMessage {
	data, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("agents: a schema cannot be written: %v", err)) // made of our types
	}
	return data
}

// readArguments fails with an error response that names every faulty argument.
func readArguments(arguments json.RawMessage, schema *huma.Schema, into any) error {
	given := map[string]any{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return httpapi.Invalid(httpapi.Fault{Name: "arguments",
				Detail: `are no JSON object, as in {"origin": "Milano"}`})
		}
	}
	var faults []httpapi.Fault
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		required := slices.Contains(schema.Required, name)
		value, ok := given[name]
		want := schema.Properties[name].Type
		text, isText := value.(string)
		fault := ""
		switch {
		case !ok || value == nil:
			delete(given, name)
			if required {
				fault = "is missing"
			}
		case want == huma.TypeBoolean:
			if _, is := value.(bool); !is {
				fault = "is neither true nor false"
			}
		case want == huma.TypeNumber:
			if _, is := value.(float64); !is {
				fault = "is no number"
			}
		case want == huma.TypeArray:
			fault = unfitList(value, required, schema.Properties[name].MaxItems)
		case !isText:
			fault = "is no string"
		default:
			fault = httpapi.Unfit(text, required)
		}
		if fault != "" {
			faults = append(faults, httpapi.Fault{Name: name, Detail: fault})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if len(faults) >= 3 { // enough to correct a call, and a fault names all arguments
			break
		}
		if schema.Properties[name] == nil {
			faults = append(faults, httpapi.Fault{Name: "arguments",
				Detail: fmt.Sprintf("hold %.40q, which this tool does not take; it takes %s", name,
					strings.Join(slices.Sorted(maps.Keys(schema.Properties)), ", "))})
		}
	}
	if len(faults) > 0 {
		return httpapi.Invalid(faults...)
	}
	plain, err := json.Marshal(given)
	if err == nil {
		err = json.Unmarshal(plain, into)
	}
	if err != nil {
		return fmt.Errorf("read arguments: %w", err)
	}
	return nil
}

func unfitList(value any, required bool, most *int) string {
	list, ok := value.([]any)
	switch {
	case !ok:
		return "is no list of strings"
	case required && len(list) == 0:
		return "is empty"
	case most != nil && len(list) > *most:
		return fmt.Sprintf("holds %d: want %d at most", len(list), *most)
	}
	for _, one := range list {
		text, ok := one.(string)
		if !ok {
			return "is no list of strings"
		}
		if fault := httpapi.Unfit(text, true); fault != "" {
			return "holds what " + fault
		}
	}
	return ""
}
