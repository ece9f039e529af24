package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const header = "iata_code^name^country_code^city_code_list^city_name_list^location_type^population^page_rank^date_until^alt_name_section^latitude^longitude^adm1_name_utf^timezone^adm2_code\n"

const world = header +
	"BIG^Big One Airport^IT^BGC^Bigtown^A^0^0.5^^^45^9^Lazio^Europe/Rome^MI\n" +
	"BIH^Big Two Airport^IT^BGC,SML^Bigtown=Smalltown^A^0^0.2^^^46^10^Lazio^Europe/Rome^\n" +
	"BGC^Bigtown^IT^BGC^Bigtown^C^900^^^en|Bigtown|p=it|Granborgo|=de|Großstadt|=|Stray|=it|Borgo Vecchio|h^45.5^9.5^Lazio^Europe/Rome^\n" +
	"SML^Smalltown^IT^SML^Smalltown^C^10^^^^^^Lazio^Europe/Rome^\n" +
	"OLD^Newport Airport^FR^NEW^Newport^A^0^0.1^2024-01-01^^48^2^Lazio^Europe/Rome^\n" +
	"NWP^Newport Airport^FR^NEW^Newport^A^0^^^^^^Lazio^Europe/Rome^\n" +
	"NEW^Newport^FR^NEW^Newport^C^50^^^^48.1^2.1^Lazio^Europe/Rome^\n" +
	"NAM^Namesake Airport^US^NAM^Bigtown^A^0^0.01^^^^^Lazio^Europe/Rome^\n" +
	"NAM^Bigtown^US^NAM^Bigtown^C^50^^^^^^Lazio^Europe/Rome^\n" +
	"FAR^Far Airport^US^FAR^Far^CA^0^^^^^^Lazio^Europe/Rome^\n"

func build(t *testing.T, usual everyday) (cities []*city, codes map[string]string, names map[string][]string) {
	t.Helper()
	points, err := readPoints([]byte(world))
	if err != nil {
		t.Fatal(err)
	}
	services := map[string]service{"BIG": {scheduled: true}, "BIH": {scheduled: true}}
	cities, codes, err = buildCities(points, services, usual)
	if err != nil {
		t.Fatal(err)
	}
	names = map[string][]string{}
	for _, n := range buildNames(cities, codes, usual) {
		names[n.key] = append(names[n.key], string(n.kind)+n.city)
	}
	return cities, codes, names
}

func TestBuild(t *testing.T) {
	usual := everyday{names: []everydayName{{name: "Lido", city: "BGC", languages: []string{"it"}}}}
	cities, codes, names := build(t, usual)

	var got []string
	for _, c := range cities {
		got = append(got, c.code+": "+strings.Join(c.airports, " "))
	}
	if diff := cmp.Diff([]string{"BGC: BIG BIH", "NEW: NWP", "NAM: NAM"}, got); diff != "" {
		t.Errorf("cities (-want +got):\n%s", diff)
	}
	wantCodes := map[string]string{"BGC": "BGC", "BIG": "BGC", "BIH": "BGC", "SML": "BGC", "NEW": "NEW", "NWP": "NEW",
		"OLD": "NEW", "NAM": "NAM"}
	if diff := cmp.Diff(wantCodes, codes); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
	for key, want := range map[string][]string{
		"bigtown": {"nBGC", "nNAM"}, "granborgo": {"nBGC"}, "grossstadt": {"nBGC"}, "smalltown": {"pBGC"},
		"stray": {"hBGC"}, "borgovecchio": {"hBGC"}, "lido": {"pBGC"}, "newport": {"nNEW"}, "far": nil,
	} {
		if diff := cmp.Diff(want, names[key]); diff != "" {
			t.Errorf("names of %s (-want +got):\n%s", key, diff)
		}
	}
	if diff := cmp.Diff([]string{"Bigtown", "Granborgo", "", "Großstadt", "", ""},
		cities[0].written(usual)); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
}

func TestLocate(t *testing.T) {
	points, err := readPoints([]byte(world))
	if err != nil {
		t.Fatal(err)
	}
	codes := map[string]string{"BIG": "BGC", "BGC": "BGC", "BIH": "FAR", "OLD": "NEW", "NEW": "NEW"}
	want := map[string]coordinates{"BIG": {45, 9}, "BGC": {45.5, 9.5}, "NEW": {48.1, 2.1}}
	if diff := cmp.Diff(want, locate(points, codes), cmp.AllowUnexported(coordinates{})); diff != "" {
		t.Error(diff)
	}
}

func TestBuildRefusesUnknownCity(t *testing.T) {
	points, err := readPoints([]byte(world))
	if err != nil {
		t.Fatal(err)
	}
	usual := everyday{names: []everydayName{{name: "Nowhere", city: "QQQ"}}}
	if _, _, err := buildCities(points, nil, usual); err == nil || !strings.Contains(err.Error(), "QQQ") {
		t.Errorf("error is %v, want one that names QQQ", err)
	}
}

func TestVariants(t *testing.T) {
	for written, want := range map[string][]string{
		"Saint-Denis": {"St Denis"}, "St. Gallen": {"Saint Gallen", "Sankt Gallen"}, "Zürich": {"Zuerich"},
		"Fort Worth": {"Ft Worth"}, "Roma": nil,
	} {
		if got := variants(written); !slices.Equal(got, want) {
			t.Errorf("variants(%q) = %q, want %q", written, got, want)
		}
	}
}

func TestClean(t *testing.T) {
	for name, want := range map[string]string{
		"Hanalei (CDP)": "Hanalei", "Aix  en Provence": "Aix en Provence", "A / B": "", "RLD": "", "Rom": "Rom",
		"東京都":          "東京都",
		"Sarh Airport": "", "Aéroport de Nice": "", "San Carlos": "San Carlos",
	} {
		if got := clean(name); got != want {
			t.Errorf("clean(%q) = %q, want %q", name, got, want)
		}
	}
	if got := townOf("Pratt Municipal Airport"); got != "Pratt" {
		t.Errorf("townOf = %q, want Pratt", got)
	}
}

func TestAirports(t *testing.T) {
	file := filepath.Join(t.TempDir(), "airports.tsv")
	if err := os.WriteFile(file, []byte("BIG\tField\tCampo\t\t\t\t\tOld Field|Oak\nBIH\tBIH\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	airports, err := readAirports(file)
	if err != nil {
		t.Fatal(err)
	}
	_, _, names := build(t, everyday{airports: airports})
	for key, want := range map[string][]string{"field": {"rBGC"}, "campo": {"rBGC"}, "granborgocampo": {"sBGC"},
		"bigtownfield": {"sBGC"}, "oldfield": {"sBGC"}, "oak": {"sBGC"}, "bih": nil, "bigtown": {"nBGC", "nNAM"}} {
		if diff := cmp.Diff(want, names[key]); diff != "" {
			t.Errorf("names of %s (-want +got):\n%s", key, diff)
		}
	}
	for _, text := range []string{"BIG\n", "BI\tField\n", "BIG\t\n", "BIG\ta\tb\tc\td\te\tf\tg\th\n"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readAirports(file); err == nil {
			t.Errorf("%q is read without an error", text)
		}
	}
}

func TestReadEverydayRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"small code": "name,code,lang\nBali,dps,it\n", "no name": "name,code,lang\n,DPS,it\n",
		"two columns": "name,code,lang\nBali,DPS\n",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "everyday.csv")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := readEveryday(file); err == nil {
				t.Error("it is read without an error")
			}
		})
	}
}

func FuzzReadPoints(f *testing.F) {
	f.Add(world)
	f.Add(header + "XXX^^^^^A^^^^=|=||\n")
	f.Add("iata_code\nXXX\n")
	f.Fuzz(func(t *testing.T, text string) {
		points, err := readPoints([]byte(text))
		if err != nil {
			return
		}
		for _, p := range points {
			if len(p.code) != 3 || len(p.cities) == 0 {
				t.Fatalf("read %+v", p)
			}
		}
	})
}

func TestRegions(t *testing.T) {
	cities, codes, _ := build(t, everyday{})
	all, err := readRegions([]byte("iata,country,subd,tz\nBIG,IT,South-Tyrol,Europe/Vaduz\nNAM,CA,Ontario,America/Toronto\n"))
	if err != nil {
		t.Fatal(err)
	}
	points, _ := readPoints([]byte(world))
	all.complete(points, cities, codes)
	want := regions{"BIG": {"IT", "South Tyrol", "Europe/Vaduz"}, "BGC": {"IT", "South Tyrol", "Europe/Vaduz"},
		"BIH": {"IT", "Lazio", "Europe/Rome"}, "NAM": {"CA", "Ontario", "America/Toronto"}}
	for code := range want {
		if all[code] != want[code] {
			t.Errorf("%s lies in %v, want %v", code, all[code], want[code])
		}
	}
	if _, err := readRegions([]byte("iata,country\n")); err == nil {
		t.Error("a table without zones is read")
	}
}

func TestDivisions(t *testing.T) {
	cities, codes, _ := build(t, everyday{})
	points, err := readPoints([]byte(world))
	if err != nil {
		t.Fatal(err)
	}
	named, err := readDivisions([]byte(`{"CA":{"regions":[{"iso":"ON","names":{"en":"Province of Ontario","it":"Ontario","de":"Ontarien","geonames":"Ontario"}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	in := regions{"NAM": {"CA", "Ontario", ""}, "BIG": {"IT", "Lombardy", ""}, "BGC": {"IT", "Lombardy", ""}}
	services := map[string]service{"NAM": {region: "CA-ON"}}
	for want, got := range map[string][]byte{
		"CA-ON\tCA/Ontario\tOntario\t\t\tOntarien\t\t\tOntario\n" + "IT-MI\tIT/Lombardy\t\t\t\t\t\t\t\n" +
			"IT/Lombardy\tIT/Lombardy\t\t\t\t\t\t\tLombardy\n": divisionTable(named, points, services, in),
		"BGC BGC harbour\nBGC BGC mill old\n": calledTable(cities, codes, points, services, "BGC\tBig Harbour|Old Mill\n"),
	} {
		if string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if _, err := readDivisions([]byte("{")); err == nil {
		t.Error("half a list is read")
	}
}
