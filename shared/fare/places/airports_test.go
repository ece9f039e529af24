package places

import (
	"slices"
	"strings"
	"testing"
)

func TestListedAirports(t *testing.T) {
	for city, want := range map[string]string{
		"MIL": "MXP LIN BGY", "TYO": "HND NRT", "LON": "LHR LGW LTN LCY STN SEN", "ROM": "FCO CIA",
		"PAR": "CDG ORY BVA", "NYC": "JFK EWR LGA SWF", "ULN": "UBN", "GAO": "GAO", "MUC": "MUC",
	} {
		p, _ := Find(city)
		if got := strings.Join(p.Airports, " "); got != want {
			t.Errorf("%s lists %s, want %s", city, got, want)
		}
	}
	for _, query := range []string{"Parma", "PMF"} {
		if p, ok := Find(query); !ok || p.City != "MIL" || p.Name != "Milano" {
			t.Errorf("%s is found as %+v", query, p)
		}
		if asked := Read(query).Part; asked != query {
			t.Errorf("%s is within Milan as %q", query, asked)
		}
	}
	for _, lang := range Langs {
		for _, c := range Complete("Parm", lang, 20) {
			if c.City == "MIL" {
				t.Errorf("%s: Parm is completed to %+v", lang, c)
			}
		}
	}
	if all := Suggest("Parmaa", 20); slices.Contains(all, "Parma") {
		t.Errorf("Parmaa suggests %q", all)
	}
}

func TestAirportNames(t *testing.T) {
	for city := range Cities() {
		p, _ := Get(city)
		if len(p.Airports) < 2 {
			continue
		}
		names := map[string]bool{}
		for _, a := range p.Airports {
			name := AirportName(a, "en")
			if name == a && a != "JFK" || names[name] {
				t.Errorf("%s of %s is called %q", a, city, name)
			}
			names[name] = true
		}
	}
	for code, want := range map[string]string{"BGY": "Bergamo", "STN": "Stansted", "MUC": "Monaco di Baviera",
		"QQQ": "QQQ", "PMF": "Parma", "": ""} {
		if got := AirportName(code, "it"); got != want {
			t.Errorf("%s is called %q, want %q", code, got, want)
		}
	}
}

func TestAirport(t *testing.T) {
	for query, want := range map[string]string{"BGY": "BGY", "bgy": "BGY", "Bergamo": "BGY", " stansted ": "STN",
		"SAW": "SAW", "MIL": "", "Milano": "", "IST": "", "Istanbul": "", "NAP": "", "OTP": "", "PMF": "PMF",
		"Parma": "", "nowhere": "", "": ""} {
		if got, ok := Airport(query); got.String() != want || ok != (want != "") {
			t.Errorf("Airport(%q) = %q, %t, want %q", query, got, ok, want)
		}
	}
}

func TestOtherCodes(t *testing.T) {
	for code, want := range map[string]string{"PMF": "MIL PMF", "pmf": "MIL PMF", "NLU": "MEX NLU", "GOX": "GOI GOX",
		"PIK": "GLA PIK", "KIV": "RMO ", "MLH": "BSL ", "EAP": "BSL ", "BGY": "MIL BGY", "OTP": "BUH "} {
		m := Read(code)
		if got := string(m.City) + " " + m.Of.String(); got != want {
			t.Errorf("%s is %s, want %s", code, got, want)
		}
		listed := slices.Contains(m.Airports, m.Of.String())
		if m.Unlisted != (m.Of.String() != "" && !listed) || (m.Reading == Renamed) != (want == "RMO " || want == "BSL ") {
			t.Errorf("%s: %+v", code, m)
		}
	}
	for i := 0; i < len(codesTable); i += codeLine {
		code := codesTable[i : i+3]
		if ReadCode(code).City == "" || Read(code).City == "" && !isAbbreviation(code) {
			t.Errorf("%s is refused", code)
		}
	}
}

func TestAirportsAreFound(t *testing.T) {
	asked := 0
	for line := range strings.Lines(airportsTable) {
		code, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		cityCode, _ := CityOf(code)
		p, _ := Get(cityCode)
		if !slices.Contains(p.Airports, code) {
			continue
		}
		columns := strings.Split(rest, "\t")
		var others []string
		if len(columns) > len(Langs) {
			others = strings.Split(columns[len(Langs)], "|")
		}
		for _, lang := range Langs {
			name := AirportName(code, lang)
			queries := append([]string{name}, others...)
			if city := Name(cityCode, lang); !strings.Contains(name, city) {
				queries = append(queries, city+" "+name)
			}
			for _, query := range queries {
				asked++
				airport, ok := Airport(query)
				if found, _ := Find(query); found.City != cityCode ||
					ok != (code != string(cityCode)) || ok && airport.String() != code {
					t.Errorf("%s, %s: %q is found as %v %s %v", code, lang, query, found, airport, ok)
				}
			}
			for _, prefix := range []string{name, string([]rune(name)[:len([]rune(name))-1])} {
				asked++
				is := func(q Place) bool { return q.City == cityCode && q.Name == name }
				if all := Complete(prefix, lang, 500); name != code && !slices.ContainsFunc(all, is) {
					t.Errorf("%s, %s: %q completes to %v", code, lang, prefix, all)
				}
			}
		}
	}
	t.Logf("%d queries", asked)
	if asked < 145*4*6 {
		t.Errorf("%d queries only", asked)
	}
}
