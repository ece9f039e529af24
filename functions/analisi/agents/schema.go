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

// schemaOf returns a schema without references, because some clients do not follow references.
// Fields without a JSON name are parameters of the endpoints and get the tools' names.
func schemaOf[T any]() *huma.Schema {
	s := huma.NewMapRegistry("#/$defs/", huma.DefaultSchemaNamer).Schema(reflect.TypeFor[T](), false, "")
	without := httpapi.Without(reflect.TypeFor[T]())
	s.Required = slices.DeleteFunc(s.Required, func(field string) bool {
		return s.Properties[field].MinLength == nil && s.Properties[field].MinItems == nil
	})
	for field, property := range maps.Clone(s.Properties) {
		property.Nullable = false // an optional argument is left out, never null
		parameter := parameterOf(field)
		if parameter == field {
			continue
		}
		name := arguments[parameter]
		delete(s.Properties, field)
		if at := slices.Index(s.Required, field); at >= 0 {
			s.Required[at] = name
		}
		if slices.Contains(without, parameter) {
			continue
		}
		property.Pattern, property.PatternDescription, property.Default = "", "", nil
		property.Enum = fixedValues[parameter]
		if parameter == "prezzo" || parameter == "massimo" {
			property.Type, property.MaxLength, property.Minimum = huma.TypeNumber, nil, new(0.0)
		}
		s.Properties[name] = property
	}
	return s
}

func parameterOf(field string) string { return strings.ToLower(field[:1]) + field[1:] }

var fixedValues = map[string][]any{"notti": {"1-3", "4-7", "8-14", "15+"}, "flessibile": {"1", "3", "7"}}

func marshalSchema(s *huma.Schema) json.RawMessage {
	data, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("agents: a schema cannot be written: %v", err))
	}
	return data
}

const mostArguments = 64

// readArguments also accepts other names and types of arguments if their meaning is clear.
func readArguments(sent json.RawMessage, schema *huma.Schema, into any) error {
	given := map[string]any{}
	if len(sent) > 0 {
		if err := json.Unmarshal(sent, &given); err != nil {
			return httpapi.Invalid(httpapi.Fault{Name: "arguments",
				Detail: `are no JSON object, as in {"origin": "Milano"}`})
		}
	}
	if len(given) > mostArguments { // finding the meaning of each argument would take long
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
				origin, _ := given["origin"].(string)
				if advice, _ := httpapi.BothEnds("origin", origin); advice != "" && name == "destination" {
					fault += ": " + advice
				}
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
		if len(faults) >= 3 {
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
	for parameter, name := range arguments {
		value, ok := given[name]
		if amount, isNumber := value.(float64); isNumber && amount != 0 {
			value = strconv.FormatFloat(amount, 'f', 2, 64)
		} else if isNumber {
			value = ""
		}
		if ok {
			given[parameter] = value
		}
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

func meantBy(name string, schema *huma.Schema) string {
	plain := strings.NewReplacer("_", "", "-", "")
	for _, accepted := range httpapi.Names(name) {
		for property := range schema.Properties {
			known, written := plain.Replace(property), strings.ToLower(plain.Replace(accepted))
			if written == known || written+"s" == known || written == known+"date" || arguments[accepted] == property {
				return property
			}
		}
	}
	return ""
}

// convert also sets the currency from a price such as $45.
func convert(given map[string]any, name string, schema *huma.Schema) (any, bool) {
	number, isNumber := given[name].(float64)
	text, isText := given[name].(string)
	text = strings.TrimSpace(text)
	switch {
	case name == "nights" && number >= 1 && number <= fare.MaxNights:
		return fare.TripOf(int(number)).String(), true
	case schema.Type == huma.TypeString && isNumber && (len(schema.Enum) > 0 || number >= 1e7 && number < 1e8): // such as the day 20270320
		return strconv.FormatFloat(number, 'f', -1, 64), true
	case schema.Type == huma.TypeBoolean && isNumber:
		return number == 1, number == 0 || number == 1
	case !isText:
		return nil, false
	case text == "" && schema.Type != huma.TypeString:
		return nil, true // an empty text counts as absent
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
