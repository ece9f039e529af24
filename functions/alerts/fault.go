package alerts

import (
	"fmt"
	"slices"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/web/httpapi"
)

type fault struct {
	field string
	text  string // key of faultTexts
	fill  []any
	kind  *httpapi.ProblemType // nil: a plain 400
}

func (f fault) message() string {
	text := faultTexts[f.text]
	for i := 0; i+1 < len(f.fill); i += 2 {
		text = strings.ReplaceAll(text, "{"+fmt.Sprint(f.fill[i])+"}", fmt.Sprint(f.fill[i+1]))
	}
	return text
}

func refusal(faults []fault) *httpapi.Problem {
	list := make([]httpapi.Fault, len(faults))
	for i, f := range faults {
		list[i] = httpapi.Fault{Name: f.field, Detail: f.message()}
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

func (f fault) pageText(l *i18n.Language, dated bool) string {
	key := "unclear"
	switch f.text {
	case "too_soon", "too_soon_weekly", "only_with", "drop_wants", "not_both", "paid_departure", "not_with",
		"not_with_paid", "no_telegram", "airline_not_here", "whole":
		key = f.text
	case "airline_unnamed":
		key = "airline_not_here"
	default:
		switch f.field {
		case "email", "address", "days", "percent", "departure", "airline":
			key = f.field
		case "threshold", "paid", "amount", "currency":
			key = "amount"
		case "month":
			key = "departure"
		case "withoutAirline":
			key = "airline"
		}
	}
	var fill []any
	for i := 0; i+1 < len(f.fill); i += 2 {
		name, value := f.fill[i], f.fill[i+1]
		if day, ok := value.(fare.Day); ok {
			value = l.WeekdayDate(day)
		}
		fill = append(fill, name, value)
		if name == "Kind" && f.text == "only_with" {
			fill = append(fill, "Label", kindLabel(l, fmt.Sprint(value), dated))
		}
	}
	if fill == nil { // the texts airline and airline_not_here need these values, even if empty
		fill = []any{"Similar", "", "Airlines", ""}
	}
	return l.Text("alerts.fault."+key, fill...)
}

func kindLabel(l *i18n.Language, kind string, dated bool) string {
	if kind == "" || kind == store.Threshold {
		return wording.CheapKind(l, dated)
	}
	return l.Text("form.kind_" + kind)
}

func unknownField(name string) fault {
	return fault{field: fmt.Sprintf("%.40s", strings.ToValidUTF8(name, "?")), text: "unknown_field",
		fill: []any{"Fields", strings.Join(fields, ", ")}}
}

const maxFaults = 8

// sorted drops faults beyond maxFaults.
func sorted(faults []fault) []fault {
	slices.SortFunc(faults, func(a, b fault) int { return strings.Compare(a.field, b.field) })
	return faults[:min(len(faults), maxFaults)]
}
