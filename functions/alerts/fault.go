package alerts

import (
	"fmt"
	"slices"
	"strings"

	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
)

type fault struct {
	field string
	text  string // key in the catalogue, after "fault."
	fill  []any
	kind  *httpapi.ProblemType // nil: a plain 400
}

func (f fault) message(l *i18n.Language) string { return l.Text("fault."+f.text, f.fill...) }

func refusal(faults []fault) *httpapi.Problem {
	list := make([]httpapi.Fault, len(faults))
	for i, f := range faults {
		list[i] = httpapi.Fault{Name: f.field, Detail: f.message(i18n.English())}
	}
	p := httpapi.Invalid(list...)
	kind := faults[0].kind
	isOther := func(f fault) bool { return f.kind != kind }
	if kind != nil && !slices.ContainsFunc(faults, isOther) {
		detail := p.Detail
		p = kind.Problem(detail)
		p.Errors = list
	}
	return p
}

func messages(faults []fault, l *i18n.Language) []string {
	var lines []string
	for _, f := range faults {
		name := f.field
		if f.text != "unknown_field" {
			name = l.Text("fault.field." + name)
		}
		lines = append(lines, l.Text("fault.line", "Field", name, "Fault", f.message(l)))
	}
	return lines
}

var (
	badRoute     = fault{field: "route", text: "route"}
	badEmail     = fault{field: "email", text: "email"}
	badThreshold = fault{field: "threshold", text: "threshold"}
)

// unknownField returns the fault of a request field that does not exist. The fault repeats at most
// 40 characters of the field's name.
func unknownField(name string) fault {
	return fault{field: fmt.Sprintf("%.40s", strings.ToValidUTF8(name, "?")), text: "unknown_field",
		fill: []any{"Fields", strings.Join(fields, ", ")}}
}

// maxFaults is the largest number of faults in an error response.
const maxFaults = 8

// sorted sorts faults by field, because maps have no order, and returns at most maxFaults.
func sorted(faults []fault) []fault {
	slices.SortFunc(faults, func(a, b fault) int { return strings.Compare(a.field, b.field) })
	return faults[:min(len(faults), maxFaults)]
}
