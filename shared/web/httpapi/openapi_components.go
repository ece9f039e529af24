package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

type object = map[string]any

type part struct {
	kind, name string
	operation  string
	content    object
	replace    []func(ref object)
}

// openAnswers allows answers to have more fields than described, because later versions may add
// fields.
func openAnswers(tree object) {
	requests := map[string]bool{}
	for _, op := range operations(tree) {
		body, _ := op["requestBody"].(object)
		contents, _ := body["content"].(object)
		for _, content := range contents {
			ref, _ := content.(object)["schema"].(object)["$ref"].(string)
			requests[strings.TrimPrefix(ref, "#/components/schemas/")] = true
		}
	}
	for name, schema := range tree["components"].(object)["schemas"].(object) {
		properties, _ := schema.(object)["properties"].(object)
		if requests[name] || properties == nil {
			continue
		}
		if schema := schema.(object); schema["additionalProperties"] == false {
			delete(schema, "additionalProperties")
		}
		for _, property := range properties {
			delete(property.(object), "examples")
		}
	}
}

type parts map[string]*part

func share(tree object) {
	all := parts{}
	for _, op := range operations(tree) {
		id := op["operationId"].(string)
		parameters, _ := op["parameters"].([]any)
		for i, p := range parameters {
			p := p.(object)
			// Generators name types after components, so a parameter must not be named like a
			// schema.
			all.add("parameters", "in-"+p["name"].(string), id, p, func(ref object) { parameters[i] = ref })
		}
		responses := op["responses"].(object)
		for _, status := range slices.Sorted(maps.Keys(responses)) {
			all.addHeaders(id, responses[status].(object))
			all.addResponse(id, status, responses)
		}
	}
	components := tree["components"].(object)
	for _, p := range slices.SortedFunc(maps.Values(all), func(a, b *part) int {
		return cmp.Or(cmp.Compare(len(b.replace), len(a.replace)), strings.Compare(a.operation, b.operation),
			strings.Compare(a.name, b.name))
	}) {
		if len(p.replace) < 2 {
			continue
		}
		if components[p.kind] == nil {
			components[p.kind] = object{}
		}
		kind, name := components[p.kind].(object), p.name
		if kind[name] != nil {
			name += "." + p.operation
		}
		kind[name] = p.content
		for _, replace := range p.replace {
			replace(object{"$ref": "#/components/" + p.kind + "/" + name})
		}
	}
}

func (all parts) add(kind, name, operation string, content object, replace func(object)) object {
	canonical, _ := json.Marshal(content)
	key := kind + " " + name + " " + string(canonical)
	if all[key] == nil {
		all[key] = &part{kind: kind, name: name, operation: operation, content: content}
	}
	all[key].replace = append(all[key].replace, replace)
	return all[key].content
}

func (all parts) addHeaders(operation string, response object) {
	headers, _ := response["headers"].(object)
	for name, header := range headers {
		if header := header.(object); header["$ref"] == nil {
			all.add("headers", headerComponent(name), operation, header, func(ref object) { headers[name] = ref })
		}
	}
}

// addResponse compares error responses without their examples. A shared response has the examples
// of all operations that use it.
func (all parts) addResponse(operation, status string, responses object) {
	response := responses[status].(object)
	contents, _ := response["content"].(object)
	code, err := strconv.Atoi(status)
	name := componentNames.Replace(http.StatusText(code))
	if err != nil {
		code, name = http.StatusInternalServerError, "Failure"
	}
	replace := func(ref object) { responses[status] = ref }
	if code < http.StatusBadRequest {
		for _, content := range contents {
			examples, _ := content.(object)["examples"].(object)
			for name, example := range examples {
				all.add("examples", strings.TrimPrefix(operation, "x402-")+"-"+name, operation, example.(object),
					func(ref object) { examples[name] = ref })
			}
		}
		all.add("responses", name, operation, response, replace)
		return
	}
	examplesOf := map[string]object{}
	for mediaType, content := range contents {
		examplesOf[mediaType], _ = content.(object)["examples"].(object)
		delete(content.(object), "examples")
	}
	first := all.add("responses", name, operation, response, replace)
	for mediaType, examples := range examplesOf {
		if len(examples) == 0 {
			continue
		}
		content := first["content"].(object)[mediaType].(object)
		if content["examples"] == nil {
			content["examples"] = object{}
		}
		merged := content["examples"].(object)
		for name, example := range examples {
			if merged[name] == nil {
				merged[name] = example
			}
		}
	}
}

var componentNames = strings.NewReplacer("Requests", "", "Server Error", "", "Service ", "", " ", "")

func operations(tree object) (all []object) {
	for _, item := range tree["paths"].(object) {
		for _, op := range item.(object) {
			all = append(all, op.(object))
		}
	}
	slices.SortFunc(all, func(a, b object) int {
		return strings.Compare(a["operationId"].(string), b["operationId"].(string))
	})
	return all
}

var textTypes = map[string]string{emailPattern: "Email", textNotBlankPattern: "Name"}

func shareTexts(node any, texts object) {
	switch node := node.(type) {
	case object:
		pattern, _ := node["pattern"].(string)
		if name := textTypes[pattern]; name != "" && node["type"] == "string" {
			schema := object{}
			for _, key := range []string{"type", "pattern", "minLength", "maxLength"} {
				if node[key] != nil {
					schema[key] = node[key]
				}
			}
			if texts[name] == nil {
				texts[name] = schema
			}
			if reflect.DeepEqual(texts[name], schema) {
				for key := range schema {
					delete(node, key)
				}
				node["$ref"] = "#/components/schemas/" + name
			}
			return
		}
		for _, key := range slices.Sorted(maps.Keys(node)) {
			shareTexts(node[key], texts)
		}
	case []any:
		for _, below := range node {
			shareTexts(below, texts)
		}
	}
}

func ExpandDescription(data []byte) ([]byte, error) {
	var tree object
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("read description: %w", err)
	}
	components, _ := tree["components"].(object)
	var expand func(node any) any
	expand = func(node any) any {
		switch node := node.(type) {
		case object:
			ref, _ := node["$ref"].(string)
			kind, name, _ := strings.Cut(strings.TrimPrefix(ref, "#/components/"), "/")
			if kind == "parameters" || kind == "responses" || kind == "examples" {
				return expand(components[kind].(object)[name])
			}
			if slices.Contains(slices.Collect(maps.Values(textTypes)), name) && kind == "schemas" {
				delete(node, "$ref")
				maps.Copy(node, components[kind].(object)[name].(object))
			}
			for key, below := range node {
				node[key] = expand(below)
			}
		case []any:
			for i, below := range node {
				node[i] = expand(below)
			}
		}
		return node
	}
	data, err := json.Marshal(expand(tree))
	if err != nil {
		return nil, fmt.Errorf("expand description: %w", err)
	}
	return data, nil
}
