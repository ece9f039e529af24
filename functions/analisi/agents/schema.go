package agents

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
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

// mostArguments is several times what a tool takes.
const mostArguments = 64

// readArguments reads arguments under other names and of other types where that is unambiguous. It
// fails with an error response that names every faulty argument.
func readArguments(arguments json.RawMessage, schema *huma.Schema, into any) error {
	given := map[string]any{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return httpapi.Invalid(httpapi.Fault{Name: "arguments",
				Detail: `are no JSON object, as in {"origin": "Milano"}`})
		}
	}
	if len(given) > mostArguments { // looking for what each means would take long
		return httpapi.Invalid(httpapi.Fault{Name: "arguments", Detail: fmt.Sprintf("are more than %d", mostArguments)})
	}
	faults := rename(given, schema)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		required := slices.Contains(schema.Required, name)
		want := schema.Properties[name].Type
		if converted, ok := convert(given, name, schema.Properties[name]); ok {
			given[name] = converted
		}
		value, ok := given[name]
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

// rename gives arguments the tool's names. Agents also use those of the endpoints, such as origine or
// withoutAirline, and a singular for a list.
func rename(given map[string]any, schema *huma.Schema) (faults []httpapi.Fault) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if schema.Properties[name] != nil {
			continue
		}
		property := meantBy(name, schema)
		if _, twice := given[property]; twice {
			faults = append(faults, httpapi.Fault{Name: property, Detail: fmt.Sprintf("is given twice, also as %.40q", name)})
		} else if property != "" {
			given[property] = given[name]
		}
		if property != "" {
			delete(given, name)
		}
	}
	return faults
}

// meantBy returns "" if the name means no argument of the tool.
func meantBy(name string, schema *huma.Schema) string {
	plain := strings.NewReplacer("_", "", "-", "")
	for _, said := range httpapi.Names(name) {
		for property := range schema.Properties {
			known, written := plain.Replace(property), strings.ToLower(plain.Replace(said))
			if written == known || written+"s" == known || arguments[said] == property {
				return property
			}
		}
	}
	return ""
}

// convert returns an argument of another JSON type in the schema's, if that has one meaning: texts
// as numbers, booleans and lists, and numbers as texts with fixed values. A price such as $45 also
// sets the currency.
func convert(given map[string]any, name string, schema *huma.Schema) (any, bool) {
	number, isNumber := given[name].(float64)
	text, isText := given[name].(string)
	text = strings.TrimSpace(text)
	switch {
	case schema.Type == huma.TypeString && len(schema.Enum) > 0 && isNumber:
		return strconv.FormatFloat(number, 'f', -1, 64), true
	case schema.Type == huma.TypeBoolean && isNumber:
		return number == 1, number == 0 || number == 1
	case !isText:
		return nil, false
	case text == "" && schema.Type != huma.TypeString:
		return nil, true // as if absent
	case schema.Type == huma.TypeBoolean:
		return httpapi.ReadAnswer(text)
	case schema.Type == huma.TypeArray:
		var list []any
		for one := range strings.SplitSeq(text, ",") {
			list = append(list, strings.TrimSpace(one))
		}
		return list, true
	case schema.Type == huma.TypeNumber:
		currency, _ := given["currency"].(string)
		in, _ := fare.ParseCurrency(strings.ToUpper(strings.TrimSpace(currency)))
		origin, _ := given["origin"].(string)
		destination, _ := given["destination"].(string)
		price, ok := answer.ParsePrice(text, in, origin, destination)
		if price.Currency != in {
			if currency != "" {
				return nil, false
			}
			given["currency"] = price.Currency.String()
		}
		return float64(price.Amount) / 100, ok
	}
	return nil, false
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
