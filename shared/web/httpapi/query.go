package httpapi

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// MaxParameter is the greatest length of a query parameter, in characters (runes).
const MaxParameter = 100

// checkParameters refuses malformed query parameters before Huma parses them, with one error
// response for all faults. It also refuses empty values of headers that must not be empty, because
// Huma treats an empty header as missing.
func checkParameters(ctx huma.Context, next func(huma.Context)) {
	if descriptionOf(ctx.Operation()).page {
		next(ctx)
		return
	}
	r, _ := humago.Unwrap(ctx)
	u := ctx.URL()
	values, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		refuse(ctx, BadRequest.Problem("The query string is malformed. Begin each escape with % and two "+
			"hexadecimal digits, and separate parameters with &."))
		return
	}
	var faults []Fault
	for _, p := range ctx.Operation().Parameters {
		given := values[p.Name]
		if p.In == "header" {
			given = r.Header.Values(p.Name)
		}
		fault := ""
		switch {
		case p.In == "header":
			if len(given) > 0 && given[0] == "" && p.Schema != nil && p.Schema.MinLength != nil &&
				*p.Schema.MinLength > 0 {
				fault = fmt.Sprintf("is empty: give %d characters or more, or leave it out", *p.Schema.MinLength)
			}
		case p.In != "query":
		case len(given) > 1:
			fault = fmt.Sprintf("is given %d times; give it once", len(given))
		case len(given) == 0 && p.Required:
			fault = "is missing"
		case len(given) == 1:
			// A parameter with an enum must have one of the listed values, so an empty value is a
			// fault.
			fault = Unfit(given[0], p.Required || p.Schema != nil && len(p.Schema.Enum) > 0)
		}
		if fault != "" {
			faults = append(faults, Fault{p.Name, fault})
		}
	}
	if len(faults) > 0 {
		refuse(ctx, Invalid(faults...))
		return
	}
	next(ctx)
}

// Unfit returns what is wrong with the text of a parameter, or "" if the text is well formed.
func Unfit(s string, required bool) string {
	switch {
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	case required && strings.TrimSpace(s) == "":
		return "is empty"
	case utf8.RuneCountInString(s) > MaxParameter:
		return fmt.Sprintf("is longer than %d characters", MaxParameter)
	case strings.ContainsFunc(s, unicode.IsControl):
		return "contains control characters"
	}
	return ""
}

func refuse(ctx huma.Context, p *Problem) {
	r, w := humago.Unwrap(ctx)
	p.Write(w, r)
}
