package httpapi

import (
	"fmt"
	"net/url"

	"verdetto/shared/fare/daytext"
	"verdetto/shared/fare/places"
)

// BothEnds helps a caller whose text for one place names both ends of a trip, such as "Rome to London".
// The result advice says what to send instead, and call is a query string with the two places. Both
// are "" if the text does not name two places.
func BothEnds(parameter, text string) (advice, call string) {
	names := [3]string{"origine", "destinazione", "partenza"}
	if parameter == synonym(names[0]) || parameter == synonym(names[1]) {
		names = [3]string{synonym(names[0]), synonym(names[1]), synonym(names[2])}
	}
	day := ""
	from, to, ok := places.Ends(text)
	if rest, cut, dated := (daytext.Reader{}).Cut(text); !ok && dated {
		from, to, ok = places.Ends(rest)
		day = fmt.Sprintf(", and the day (%s) as %s", cut, names[2])
	}
	if !ok {
		return "", ""
	}
	return fmt.Sprintf("%q names both ends of a trip: send %s=%s and %s=%s%s", text, names[0], from, names[1], to, day),
		names[0] + "=" + url.QueryEscape(from) + "&" + names[1] + "=" + url.QueryEscape(to)
}
