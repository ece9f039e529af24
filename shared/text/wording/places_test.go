package wording_test

import (
	"strings"
	"testing"

	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

func TestPlacesAreJoined(t *testing.T) {
	for _, l := range i18n.Languages() {
		for _, asked := range [][]string{{"Milano", "Londra"}, {"Milano", "Lisbona"}} {
			got := wording.Places(l, verdict.Pair{}, places.Read(asked[0]), places.Read(asked[1]))
			if len(got) != 1 || !strings.Contains(got[0], "BGY") || strings.Contains(got[0], "LHR") != (asked[1] == "Londra") {
				t.Errorf("%s, %v: %q", l.Code, asked, got)
			}
		}
	}
}
