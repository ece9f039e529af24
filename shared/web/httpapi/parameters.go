package httpapi

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/text/i18n"
	"verdetto/shared/web/routes"
)

var headers = map[string]*huma.Header{
	"Cache-Control": textHeader(true, "How long a cache may keep the answer", "no-store"),
	"ETag": textHeader(true, "Changes with the answer. Send it back in If-None-Match",
		`"pAcTcAyyXAh9ISDL"`),
	"Vary":             textHeader(true, "The request headers that the answer depends on", varyByKey),
	"WWW-Authenticate": textHeader(true, "How to authenticate", keyScheme),
	"X-Cache":          textHeader(false, "Whether the answer comes from a shared cache", "MISS"),
	"X-Data": textHeader(false,
		"sample: the fares are invented, as in a demonstration. Absent for observed fares", "sample", "sample"),
	"X-Plan":            textHeader(false, "Present if the call was made with a valid key", "pro", "pro"),
	"X-RateLimit-Limit": integerHeader(true, "Calls that a window allows", 1, 30),
	"X-RateLimit-Remaining": integerHeader(false,
		"Calls left in this window. Absent from a shared cache, or if the call could not be counted", 0, 29),
	"X-RateLimit-Reset": integerHeader(true, "End of the window, Unix seconds", 0,
		int(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC).Unix())),
	"RateLimit": textHeader(false, "Calls left, and seconds until the window ends. Absent as X-RateLimit-Remaining is",
		`"analisi-free";r=29;t=43200`),
	"RateLimit-Policy": textHeader(true,
		"The quota: calls, and seconds of a window (draft-ietf-httpapi-ratelimit-headers)", `"analisi-free";q=30;w=86400`),
	"X-Request-Id": textHeader(false, "Names the request in the log: state it if you report a fault. Absent from a "+
		"shared cache",
		"XKCDQ4N2B6ZT5V3Y7M2HG4LJ3E"),
	"PAYMENT-REQUIRED": textHeader(true, "What has to be paid, and to whom, as the protocol x402 has it: JSON in "+
		"base64", "eyJ4NDAyVmVyc2lvbiI6MiwiYWNjZXB0cyI6W119"),
	"PAYMENT-RESPONSE": textHeader(true, "The outcome of the payment, as x402 defines it: JSON in base64",
		"eyJzdWNjZXNzIjp0cnVlfQ=="),
	"Retry-After": integerHeader(true, "Seconds to wait before the next call", 1, 5),
}

func textHeader(required bool, description, example string, values ...any) *huma.Header {
	return &huma.Header{Required: required, Description: description,
		Schema: &huma.Schema{Type: "string", Enum: values}, Example: example}
}

func integerHeader(required bool, description string, least, example int) *huma.Header {
	l := float64(least)
	return &huma.Header{Required: required, Description: description,
		Schema: &huma.Schema{Type: "integer", Format: "int64", Minimum: &l}, Example: example}
}

func headerComponent(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "X-"), "RateLimit-")
}

func headerComponents() map[string]*huma.Header {
	all := map[string]*huma.Header{}
	for name, h := range headers {
		all[headerComponent(name)] = h
	}
	return all
}

func headerRef(name string) *huma.Header {
	return &huma.Header{Ref: "#/components/headers/" + headerComponent(name)}
}

func optionalHeader(name string) *huma.Header {
	h := *headers[name]
	if !h.Required {
		return headerRef(name)
	}
	h.Required = false
	return &h
}

var limitHeaders = []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "RateLimit",
	"RateLimit-Policy"}

func commonHeaders(route routes.Route) map[string]*huma.Header {
	h := map[string]*huma.Header{"Cache-Control": headerRef("Cache-Control"), "X-Data": headerRef("X-Data"),
		RequestIDHeader: headerRef(RequestIDHeader)}
	capped := route.Keyed() || route.Free != (routes.Cap{})
	for _, name := range limitHeaders {
		switch {
		case capped:
			h[name] = headerRef(name)
		case route.KeyInHandler:
			h[name] = optionalHeader(name)
		}
	}
	if route.Keyed() {
		h["X-Plan"], h["X-Cache"] = headerRef("X-Plan"), headerRef("X-Cache")
	}
	if route.Own > 0 {
		h["Vary"] = headerRef("Vary")
	}
	return h
}

func problemHeaders(status int) map[string]*huma.Header {
	h := map[string]*huma.Header{}
	if status == http.StatusTooManyRequests {
		for _, name := range append([]string{"Retry-After"}, limitHeaders...) {
			h[name] = headerRef(name)
		}
	}
	return h
}

// describeParameters returns copies, because Huma validates with the originals.
func describeParameters(registered []*huma.Param, page bool) []*huma.Param {
	var described []*huma.Param
	for _, original := range registered {
		p := *original
		if p.In == "header" && p.Name == "Accept" {
			continue
		}
		p.Description, p.Explode = cmp.Or(p.Description, headerDescription(p.Name)), nil
		if other := synonym(p.Name); p.In == "query" && other != "" && p.Description != "" {
			p.Description += ". Also as " + other
		}
		schema := *p.Schema
		schema.Description = ""
		if len(schema.Examples) > 0 {
			p.Example, schema.Examples = schema.Examples[0], nil
		}
		if p.In == "query" && schema.Type == "string" && len(schema.Enum) == 0 && !page {
			limitText(&schema, p.Name, p.Required)
		}
		p.Schema = &schema
		described = append(described, &p)
	}
	return described
}

func limitText(schema *huma.Schema, name string, required bool) {
	longest, shortest := MaxParameter, 1
	if schema.MaxLength == nil {
		schema.MaxLength = &longest
	}
	switch {
	case schema.Pattern != "":
	case name == "email":
		schema.Pattern = emailPattern
		if !required {
			schema.Pattern = "^$|" + emailPattern
		}
	case required:
		schema.MinLength, schema.Pattern = &shortest, textNotBlankPattern
	default:
		schema.Pattern = textPattern
	}
}

// The patterns list the space characters, because regular expression engines differ about \s.
const (
	control             = `\u0000-\u001f\u007f-\u009f`
	space               = ` \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000`
	textPattern         = `^[^` + control + `]*$`
	textNotBlankPattern = `^[^` + control + `]*[^` + space + control + `][^` + control + `]*$`
)

// emailPattern matches the addresses that package mail accepts and changes only in their capitals, as a
// test in e2e/openapi checks. Package mail also limits the lengths.
const (
	emailPattern = "^" + emailAtom + "(\\." + emailAtom + ")*" +
		"@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])$"
	// emailAtom excludes =?, which starts an encoded word in mail headers.
	emailAtom = "(([A-Za-z0-9!#$%&'*+/?^_`{|}~-]|=+[A-Za-z0-9!#$%&'*+/^_`{|}~-])+=*|=+)"
)

func headerDescription(name string) string {
	switch name {
	case "Accept-Language":
		return i18n.Spoken() + ", where the answer holds text for people"
	case "If-None-Match":
		return "The ETag of an answer that you already have"
	case "PAYMENT-SIGNATURE":
		return "The payment, as the protocol x402 has it: JSON in base64, of the form that PAYMENT-REQUIRED of an " +
			"answer without one asks for"
	case "Stripe-Signature":
		return "The card processor's signature of the delivery"
	case "X-Telegram-Bot-Api-Secret-Token":
		return "The secret of the bot's webhook"
	}
	return ""
}
