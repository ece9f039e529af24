package fare_test

import (
	"testing"

	"verdetto/shared/fare"
)

func TestAirlinesInclude(t *testing.T) {
	for _, c := range []struct {
		filter   string
		included string
	}{
		{"", "FR U2 W6 -"}, {"FR", "FR"}, {"FR.W6", "FR W6"}, {"!FR", "U2 W6"}, {"!FR.W6", "U2"}, {"R6", ""},
	} {
		filter := fare.Airlines(c.filter)
		got := ""
		for _, code := range []string{"FR", "U2", "W6", "-"} {
			a, _ := fare.ParseAirline(code) // "-" is unknown
			if filter.Include(a) {
				got += " " + code
			}
		}
		if c.included != "" {
			c.included = " " + c.included
		}
		if got != c.included {
			t.Errorf("%q includes%s, want%s", c.filter, got, c.included)
		}
	}
}

func TestAirlinesList(t *testing.T) {
	for in, want := range map[fare.Airlines]fare.Airlines{"W6.FR.FR": "FR.W6", "!U2": "!U2", "!W6.FR": "!FR.W6"} {
		list, except := in.List()
		got := fare.OnlyAirlines(list)
		if except {
			got = fare.ExceptAirlines(list)
		}
		if got != want {
			t.Errorf("%q: the list is of %q, want %q", in, got, want)
		}
	}
	if fare.ExceptAirlines(nil) != "" || fare.OnlyAirlines(nil) != "" {
		t.Error("no airline selects some fares only")
	}
}
