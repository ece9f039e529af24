package airlines

import (
	"slices"
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

func TestTable(t *testing.T) {
	before := ""
	for line := range strings.Lines(table) {
		code, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		name, _, _ = strings.Cut(name, "\t")
		if _, err := fare.ParseAirline(code); err != nil || !ok || name == "" || strings.TrimSpace(name) != name ||
			code <= before {
			t.Errorf("row %q after %q: %v", line, before, err)
		}
		before = code
	}
}

func TestFind(t *testing.T) {
	for query, want := range map[string]string{
		"FR": "FR", "fr": "FR", " ryanair ": "FR RK", "Wizz air": "5W W4 W6 W9", "W6": "W6", "easyJet": "DS EC U2",
		"air algerie": "AH", "B.A.": "BA", "T'way Air": "TW", "Q9": "", "Air": "", "": "", "Ryan": "", "-": "",
	} {
		var got []string
		for _, a := range Find(query) {
			got = append(got, a.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is %v, want %s", query, got, want)
		}
	}
	for line := range strings.Lines(table) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		code, name := f[0], f[1]
		a, _ := fare.ParseAirline(code)
		if !slices.Contains(Find(name), a) {
			t.Errorf("%s is not %s", name, code)
		}
	}
}

func TestSuggest(t *testing.T) {
	for query, want := range map[string]string{
		"Rynair": "Ryanair", "Ryan": "Ryanair, Ryanair UK", "vuelling": "Vueling", "luft": "Lufthansa CityLine, Lufthansa",
		"fr": "", "zzzzzz": "",
	} {
		if got := strings.Join(Suggest(query, 2), ", "); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

func TestCorrect(t *testing.T) {
	for query, want := range map[string]string{"Rayanair": "Ryanair", "ryanar": "Ryanair", "Easyjett": "easyJet", "Luftansa": "Lufthansa",
		"Lufthanza": "Lufthansa", "Wizzair": "Wizz Air", "Wiz Air": "Wizz Air", "Vuelling": "Vueling", "Volotea": "", "FR": "",
		"Qatr Airways": "Qatar Airways", "Air": "", "Nobody": "", "Emirtes": "Emirates", "Wizair": "Wizz Air",
		"wizz": "Wizz Air", "Turkish": "Turkish Airlines", "TAP": "TAP Air Portugal", "TAP Portugal": "TAP Air Portugal", "KLM Royal Dutch": "KLM",
		"Lufthansa Group": "Lufthansa", "British": "British Airways", "jet blue": "JetBlue", "TUI": "TUI Airways, TUI fly Netherlands, TUI fly Belgium, TUIfly", "jal": "Japan Airlines", "THY": "Turkish Airlines",
		"Scandinavian": "SAS", "Air NZ": "Air New Zealand", "Air Dreams": "", "Swissair": "",
		"China":                "",
		"Air France and Delta": "", "Katar": "Qatar Airways", "Quatar Airways": "Qatar Airways", "AirAsiay": "" /* AirAsia or AirAsia X */} {
		if got, ok := Correct(query); got != want || ok != (want != "") {
			t.Errorf("%q is corrected to %q, want %q", query, got, want)
		}
	}
}
