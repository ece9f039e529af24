package airlines

import (
	"strings"
	"testing"

	"verdetto/shared/fare"
)

func TestName(t *testing.T) {
	for code, want := range map[string]string{"FR": "Ryanair", "3K": "Jetstar Asia", "": "", "Q9": "Q9"} {
		a, _ := fare.ParseAirline(code)
		if got := Name(a); got != want {
			t.Errorf("%s is %q, want %q", code, got, want)
		}
	}
}

// Every row is a code and a name, in order and once.
func TestTable(t *testing.T) {
	before := ""
	for line := range strings.Lines(table) {
		code, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if _, err := fare.ParseAirline(code); err != nil || !ok || name == "" || strings.TrimSpace(name) != name ||
			code <= before {
			t.Errorf("row %q after %q: %v", line, before, err)
		}
		before = code
	}
}
