package edge

import (
	"regexp"
	"strings"
)

// lastElement splits a list in the syntax of RFC 7239 at its last comma outside a quoted string. It
// reads from the right, so text further left, which a caller may have written, cannot change the
// result.
func lastElement(list string) (rest, last string) {
	quoted := false
	for i := len(list) - 1; i >= 0; i-- {
		switch {
		case list[i] == '"' && !(quoted && escaped(list[:i])):
			quoted = !quoted
		case list[i] == ',' && !quoted:
			return list[:i], list[i+1:]
		}
	}
	return "", list
}

// escaped reports whether a text ends in an open backslash, which escapes the next character.
func escaped(text string) bool {
	return (len(text)-len(strings.TrimRight(text, `\`)))%2 == 1
}

// forwardedPair matches one parameter of an element and the semicolon after it. A value is a token
// or a quoted string. Unquoted brackets and colons are accepted too, as in for=[2001:db8::1],
// because proxies configured by hand write them.
var forwardedPair = regexp.MustCompile(`^([!#$%&'*+.^_\x60|~0-9A-Za-z-]+)=(?:([]!#$%&'*+.^_\x60|~0-9A-Za-z:[-]+)|` +
	`"((?:[^"\\\x00-\x08\x0A-\x1F\x7F]|\\[^\x00-\x08\x0A-\x1F\x7F])*)")[ \t]*(?:;|$)`)

var unescape = regexp.MustCompile(`\\(.)`)

// forParameter returns the value of for= in an element, as in
// for="[2001:db8::1]:4711";proto=https. It returns "" if the element has no for=, has two, or
// violates RFC 7239.
func forParameter(element string) (value string) {
	element = strings.Trim(element, " \t")
	for found := false; element != ""; {
		if element[0] == ';' { // RFC 7239 allows empty parameters
			element = strings.TrimLeft(element[1:], " \t")
			continue
		}
		pair := forwardedPair.FindStringSubmatch(element)
		if pair == nil {
			return ""
		}
		if strings.EqualFold(pair[1], "for") {
			if found {
				return ""
			}
			found, value = true, pair[2]+unescape.ReplaceAllString(pair[3], "$1")
		}
		element = strings.TrimLeft(element[len(pair[0]):], " \t")
	}
	return value
}
