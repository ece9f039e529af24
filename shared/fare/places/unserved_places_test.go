package places

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"verdetto/shared/fare"
)

// The places in elsewhere.tsv come from GeoNames.
func TestElsewhere(t *testing.T) {
	data, err := os.ReadFile("testdata/elsewhere.tsv")
	if err != nil {
		t.Fatal(err)
	}
	asked, same, stated := 0, 0, 0
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		country, _ := AreaOf(f[1])
		queries := []string{f[0], strings.ToLower(f[0]), f[0] + ", " + f[1], f[0] + " (" + country.NameIn("en") + ")",
			country.NameIn("it") + ", " + f[0], f[0] + " " + country.NameIn("de"), "Flughafen " + f[0]}
		for i, query := range queries {
			asked++
			m := Read(query)
			if m.City == "" || near(f[2], f[3], m.City) {
				continue
			}
			bare := i < 2 || i == 6
			e, named := lookup(Fold(f[0]))
			switch {
			case named && e.kind != KindArea && bare:
				same++
			case m.Reading != AsTyped && (bare || m.Country == f[1]):
				stated++
				t.Logf("%q: %s (%s), %d", query, m.Name, m.City, m.Reading)
			default:
				t.Errorf("%q is taken for %s (%s), %s", query, m.Name, m.City, m.Country)
			}
		}
	}
	t.Logf("%d queries: %d of namesakes, %d where the answer says how it read them", asked, same, stated)
	if asked < 7000 {
		t.Errorf("%d queries", asked)
	}
}

func near(north, east string, c fare.City) bool {
	line, _ := codeLineOf(string(c))
	n, _ := strconv.ParseFloat(north, 64)
	e, _ := strconv.ParseFloat(east, 64)
	n0, _ := strconv.ParseFloat(line[15:21], 64)
	e0, _ := strconv.ParseFloat(line[22:28], 64)
	return math.Hypot(n-n0, (e-e0)*math.Cos(n*math.Pi/18000)) < 100/1.11
}
