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

func TestParseAirlines(t *testing.T) {
	for in, want := range map[string]fare.Airlines{"W6.FR.FR": "FR.W6", "!U2": "!U2", "!W6.FR": "!FR.W6"} {
		got, err := fare.ParseAirlines(in)
		if err != nil || got != want {
			t.Errorf("%q: %q %v, want %q", in, got, err, want)
		}
		list, except := got.List()
		again := fare.OnlyAirlines(list)
		if except {
			again = fare.ExceptAirlines(list)
		}
		if again != got {
			t.Errorf("%q: the list is of %q", got, again)
		}
	}
	for _, in := range []string{"", "!", "FR,W6", "fr", "FR.", "FR!W6", "Ryanair"} {
		if got, err := fare.ParseAirlines(in); err == nil {
			t.Errorf("%q is taken for %q", in, got)
		}
	}
	if fare.ExceptAirlines(nil) != "" || fare.OnlyAirlines(nil) != "" {
		t.Error("no airline selects some fares only")
	}
}
