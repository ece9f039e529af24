package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/web/routes"
)

// MaxParameter is the greatest length, in runes, of a query parameter without a maxLength.
const MaxParameter = 100

// checkParameters refuses unknown and, except for pages, malformed parameters before Huma parses
// them.
func checkParameters(op *huma.Operation, r *http.Request, faults []Fault) *Problem {
	d := descriptionOf(op)
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil && !d.page {
		return BadRequest.Problem("The query string is malformed. Begin each escape with % and two " +
			"hexadecimal digits, and separate parameters with &.")
	}
	names := parameterNames(op)
	if d.page || len(d.Pages) > 0 {
		names = append(names, "lang") // a link to a page may set lang, even if the page follows only Accept-Language
	}
	faults = append(faults, unknownParameters(routes.Named(op.OperationID), values, names)...)
	for _, p := range op.Parameters {
		fault := ""
		switch given := values[p.Name]; {
		case p.In == "header" && !d.page:
			fault = emptyHeader(p, r.Header.Values(p.Name))
		case p.In != "query":
		case len(given) > 1:
			fault = fmt.Sprintf("is given %d times; give it once", len(given))
		case d.page:
		case len(given) == 0 && p.Required:
			fault = missing(p.Name, values.Get("origine"))
		case len(given) == 1:
			// A parameter with an enum must not be empty.
			fault = unfit(given[0], p.Required || p.Schema != nil && len(p.Schema.Enum) > 0, longest(p))
		}
		if fault != "" {
			faults = append(faults, Fault{p.Name, fault})
		}
	}
	if len(faults) > 0 {
		return Invalid(faults...)
	}
	return nil
}

func missing(name, origin string) string {
	if advice, _ := BothEnds("origine", origin); advice != "" && name == "destinazione" {
		return "is missing: " + advice
	}
	return "is missing"
}

func parameterNames(op *huma.Operation) (names []string) {
	for _, p := range op.Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	return names
}

func emptyHeader(p *huma.Param, given []string) string {
	if len(given) == 0 || given[0] != "" || p.Schema == nil || p.Schema.MinLength == nil || *p.Schema.MinLength == 0 {
		return ""
	}
	return fmt.Sprintf("is empty: give %d characters or more, or leave it out", *p.Schema.MinLength)
}

// tracking lists prefixes of parameters that other sites and mail programs add to links.
var tracking = []string{"utm_", "fbclid", "gclid", "gbraid", "wbraid", "gad_", "dclid", "msclkid", "mc_cid",
	"mc_eid", "igsh", "ttclid", "twclid", "li_fat_id", "yclid", "_ga", "_gl", "_hs", "mkt_tok", "srsltid", "ref"}

const maxUnknown = 10

// unknownParameters ignores tracking parameters, unless the edge caches the answers: tracking
// parameters would bypass the cache.
func unknownParameters(route routes.Route, values url.Values, names []string) (faults []Fault) {
	for _, given := range slices.Sorted(maps.Keys(values)) {
		isTracking := func(prefix string) bool { return strings.HasPrefix(given, prefix) }
		if slices.Contains(names, given) ||
			route.Edge == (routes.Edge{}) && slices.ContainsFunc(tracking, isTracking) {
			continue
		}
		detail := "is not a parameter of this endpoint"
		switch near := nearest(given, names); {
		case near != "":
			detail += ": the nearest name is " + near
		case len(names) == 0:
			detail += ", which takes none"
		default:
			detail += ", which takes " + strings.Join(names, ", ")
		}
		faults = append(faults, Fault{printable(given), detail})
		if len(faults) == maxUnknown {
			break
		}
	}
	return faults
}

func printable(name string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(name, string(utf8.RuneError))))
	return string(runes[:min(len(runes), 40)])
}

func Unfit(s string, required bool) string { return unfit(s, required, MaxParameter) }

func longest(p *huma.Param) int {
	if p.Schema != nil && p.Schema.MaxLength != nil {
		return *p.Schema.MaxLength
	}
	return MaxParameter
}

func unfit(s string, required bool, longest int) string {
	switch {
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	case required && strings.TrimSpace(s) == "":
		return "is empty"
	case utf8.RuneCountInString(s) > longest:
		return fmt.Sprintf("is longer than %d characters", longest)
	case strings.ContainsFunc(s, unicode.IsControl):
		return "contains control characters"
	}
	return ""
}
