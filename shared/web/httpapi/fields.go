package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"verdetto/shared/runtime/config"
)

type FieldsInput struct {
	Campi string `query:"campi" maxLength:"500" pattern:"^([A-Za-z]+([.,][A-Za-z]+)*)?$" patternDescription:"names of fields such as giorni.partenza,giorni.cent" doc:"Only these fields, separated by commas. A dot leads into an object or a list: giorni.cent. All others are absent, required ones too"`
}

type Part map[string]any

const fieldsParameter = "campi"

const maxFieldFaults = 3

// Fields holds the names of fields, each with the names of the fields inside it. An empty tree
// means all fields.
type Fields map[string]Fields

func fieldsOf(t reflect.Type) Fields {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t.Implements(reflect.TypeFor[json.Marshaler]()) {
		return nil
	}
	tree := Fields{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			maps.Copy(tree, fieldsOf(f.Type))
		case f.IsExported() && name != "-":
			tree[cmp.Or(name, f.Name)] = fieldsOf(f.Type)
		}
	}
	return tree
}

func (tree Fields) paths(prefix string) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		all = append(all, prefix+name)
		all = append(all, tree[name].paths(prefix+name+".")...)
	}
	return all
}

func (tree Fields) Add(path string) {
	name, rest, deeper := strings.Cut(path, ".")
	below, known := tree[name]
	switch {
	case !deeper:
		tree[name] = nil
	case known && len(below) == 0: // the whole field is already chosen
	default:
		if below == nil {
			below = Fields{}
			tree[name] = below
		}
		below.Add(rest)
	}
}

func (tree Fields) has(path string) bool {
	name, rest, deeper := strings.Cut(path, ".")
	below, ok := tree[name]
	return ok && (!deeper || below.has(rest))
}

// choose stops at the third fault, because the search for a similar name is slow.
func (tree Fields) choose(list string) (Fields, *Problem) {
	chosen, faults := Fields{}, []Fault(nil)
	seen := map[string]bool{}
	for path := range strings.SplitSeq(list, ",") {
		switch {
		case len(faults) == maxFieldFaults:
		case seen[path]:
			faults = append(faults, Fault{fieldsParameter, "names " + printable(path) + " twice"})
		case !tree.has(path):
			faults = append(faults, unknownField(path, tree))
		default:
			chosen.Add(path)
		}
		seen[path] = true
	}
	if len(faults) > 0 {
		return nil, Invalid(faults...)
	}
	return chosen, nil
}

func unknownField(path string, tree Fields) Fault {
	detail := "names " + printable(path) + ", which is not a field of this answer"
	if near := config.Nearest(path, tree.paths(""), max(2, len(path)/3)); near != "" {
		detail += ": the nearest name is " + near
	} else {
		detail += ", which has " + strings.Join(slices.Sorted(maps.Keys(tree)), ", ")
	}
	return Fault{fieldsParameter, detail}
}

func (tree Fields) Shorten(document any) (any, error) {
	if len(tree) == 0 {
		return document, nil
	}
	data, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	var whole any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	if err := decoder.Decode(&whole); err != nil {
		return nil, err
	}
	return tree.cut(whole), nil
}

func (tree Fields) cut(node any) any {
	if len(tree) == 0 {
		return node
	}
	switch node := node.(type) {
	case map[string]any:
		maps.DeleteFunc(node, func(name string, _ any) bool { _, ok := tree[name]; return !ok })
		for name, below := range node {
			node[name] = tree[name].cut(below)
		}
	case []any:
		for i, below := range node {
			node[i] = tree.cut(below)
		}
	}
	return node
}

func (d description) chooseFields(c *call, in any) error {
	list := reflect.ValueOf(in).Elem().FieldByName("Campi").String()
	if list == "" {
		return nil
	}
	chosen, p := d.fields.choose(list)
	if p != nil {
		return p
	}
	c.fields = chosen
	return nil
}

func (d description) answerFields(in, out reflect.Type) Fields {
	if _, ok := in.FieldByName("Campi"); !ok {
		return nil
	}
	if d.Answer != nil {
		return fieldsOf(reflect.TypeOf(d.Answer))
	}
	body, _ := out.FieldByName("Body")
	return fieldsOf(body.Type)
}
