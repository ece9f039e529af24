package places

import (
	"encoding/csv"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

func table(t *testing.T, file string) [][]string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.LazyQuotes = true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatalf("read %s: %v", file, err)
	}
	return rows
}

func TestFindInSixLanguages(t *testing.T) {
	rows := table(t, "testdata/six.csv")
	for _, row := range rows[1:] {
		for i, name := range row[1:] {
			t.Run(rows[0][i+1]+"/"+name, func(t *testing.T) {
				for _, query := range []string{name, strings.ToUpper(name), Fold(name)} {
					p, ok := Find(query)
					if area, _ := FindArea(query); len(row[0]) > 3 && !ok && area.Code == row[0] {
						continue
					}
					if !ok || string(p.City) != row[0] {
						t.Errorf("Find(%q) = %v, want %s", query, p, row[0])
					} else if _, code := CityOf(query); Fold(p.Name) != Fold(name) && !code {
						t.Errorf("Find(%q) is called %q", query, p.Name)
					}
				}
			})
		}
	}
}

// recorded.tsv has names, and the city that Find returned for each name in an earlier version.
func TestRecorded(t *testing.T) {
	data, err := os.ReadFile("testdata/recorded.tsv")
	if err != nil {
		t.Fatal(err)
	}
	asked, regions := 0, 0
	for line := range strings.Lines(string(data)) {
		query, want, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		asked++
		m := Read(query)
		switch _, area := FindArea(query); {
		case string(m.City) == want:
		case m.City == "" && area:
			regions++
		default:
			t.Errorf("%q is %q, and was %q", query, m.City, want)
		}
	}
	if asked != 4001 || regions > 18 {
		t.Errorf("%d names, %d of them regions now, want 4001 and 18 at most", asked, regions)
	}
}

func TestFindWritesProperly(t *testing.T) {
	for _, row := range table(t, "testdata/everyday.csv")[1:] {
		t.Run(row[0], func(t *testing.T) {
			p, ok := Find(row[0])
			if !ok {
				t.Fatalf("Find(%q) finds nothing", row[0])
			}
			if got := []string{string(p.City), p.Name}; !slices.Equal(got, row[1:]) {
				t.Errorf("Find(%q) = %q, want %q", row[0], got, row[1:])
			}
		})
	}
}

func TestFindPlace(t *testing.T) {
	got, ok := Find("milano")
	want := Place{City: "MIL", Name: "Milano", Country: "IT", Airports: []string{"MXP", "LIN", "BGY"}}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("Find (-want +got):\n%s", diff)
	}
}

func TestFindNothing(t *testing.T) {
	for _, query := range []string{"", " ", "...", "Pisticci", "QQQ", "MI", "ſk", "M\x18P", "milano2",
		"\xff\xfe", strings.Repeat("milano", 1000)} {
		if p, ok := Find(query); ok {
			t.Errorf("Find(%.20q) = %v, want nothing", query, p)
		}
	}
}

func TestGet(t *testing.T) {
	if p, ok := Get("MUC"); !ok || p.Name != "Monaco di Baviera" || p.Country != "DE" {
		t.Errorf("Get(MUC) = %v, %v", p, ok)
	}
	for _, city := range []fare.City{"MXP", "mil", "", "QQQ", "MILA"} {
		if p, ok := Get(city); ok {
			t.Errorf("Get(%q) = %v, want nothing", city, p)
		}
		if name := Name(city, "it"); name != "" {
			t.Errorf("Name(%q) = %q, want nothing", city, name)
		}
	}
}

func TestCityOf(t *testing.T) {
	for code, want := range map[string]fare.City{
		"BGY": "MIL", "MIL": "MIL", "LHR": "LON", "OTP": "BUH", "EWR": "NYC", "TSF": "VCE", "EAP": "BSL", "MLH": "BSL",
		"KIV": "RMO", "TXL": "BER", "BSZ": "FRU", "CAS": "CMN", "bgy": "", "QQQ": "", "": "", "MILA": "",
	} {
		if got, ok := CityOf(code); got != want || ok != (want != "") {
			t.Errorf("CityOf(%q) = %q, %v, want %q", code, got, ok, want)
		}
	}
}

func TestName(t *testing.T) {
	want := map[string]string{"it": "Pechino", "en": "Beijing", "fr": "Pékin", "de": "Peking", "es": "Pekín",
		"pt": "Pequim", "tlh": "Beijing", "": "Beijing"}
	got := map[string]string{}
	for lang := range want {
		got[lang] = Name("BJS", lang)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Name (-want +got):\n%s", diff)
	}
}

func TestComplete(t *testing.T) {
	for _, tc := range []struct {
		prefix, lang string
		want         []string
	}{
		{"mila", "it", []string{"Milano MIL"}},
		{"mila", "en", []string{"Milan MIL"}},
		{"MAIL", "it", []string{"Milano MIL"}},
		{"new y", "it", []string{"New York NYC"}},
		{"birmingham", "en", []string{"Birmingham BHX", "Birmingham BHM"}},
		{"bari", "it", []string{"Bari BRI", "Bariloche BRC"}},
		{"berg", "it", []string{"Bergamo MIL", "Bergen BGO"}},
		{"berg", "fr", []string{"Bergame MIL", "Bergen BGO"}},
		{"sici", "it", nil},
		{"mailand", "de", []string{"Mailand MIL"}},
		{"lissabon", "de", []string{"Lissabon LIS"}},
		{"lond", "pt", []string{"Londres LON"}},
		{"mxp", "it", []string{"Milano MIL"}},
		{"mxp", "de", []string{"Mailand MIL"}},
		{"zzzz", "it", nil},
		{" ", "it", nil},
	} {
		t.Run(tc.prefix+" "+tc.lang, func(t *testing.T) {
			var got []string
			for _, p := range Complete(tc.prefix, tc.lang, 2) {
				got = append(got, p.Name+" "+string(p.City))
			}
			if len(got) > len(tc.want) && len(tc.want) > 0 {
				got = got[:len(tc.want)]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Complete (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSuggest(t *testing.T) {
	for query, want := range map[string]string{
		"milanoo": "Milano", "bolog": "Bologna", "milano centrale": "Milano",
		"milano malpenza": "Milano Malpensa", "barcelna": "Barcelona",
		"londn": "London", "Italy": "Milan", "Francia": "Paris", "Spian": "Barcelona", "Grece": "Athens", "Europe": "London",
		"Pargi": "Parigi", "bucarset": "Bucarest", "francofrote": "Francoforte", "nuova yrok": "Nuova York", "xx": "",
		"":               "",
		"qwertyuiopasdf": "", strings.Repeat("x", 100): "",
	} {
		var first string
		if got := Suggest(query, 3); len(got) > 3 {
			t.Errorf("Suggest(%q) gives %d, asked for 3", query, len(got))
		} else if len(got) > 0 {
			first = got[0]
		}
		if first != want {
			t.Errorf("Suggest(%q) begins with %q, want %q", query, first, want)
		}
	}
}

func TestFoldTreatsAlike(t *testing.T) {
	for _, alike := range [][]string{
		{"L'Aquila", "l aquila", "L’AQUILA", "laquila"},
		{"Saint-Denis", "saint  denis", "Saint.Denis", "SAINT DENIS"},
		{"Málaga", "Ma\u0301laga", "malaga", "ｍａｌａｇａ"},
		{"Łódź", "lodz"}, {"Tromsø", "tromso"}, {"İstanbul", "istanbul", "Istanbul"}, {"Straße", "STRASSE", "strasse"},
		{"서울", "\u1109\u1165\u110b\u116e\u11af"}, {"Ёлка", "елка"}, {"Kaua‘i", "kauaʻi", "kauai"},
	} {
		for _, s := range alike {
			if Fold(s) != Fold(alike[0]) {
				t.Errorf("Fold(%q) = %q, but Fold(%q) = %q", s, Fold(s), alike[0], Fold(alike[0]))
			}
		}
	}
}

func TestTables(t *testing.T) {
	var cities []fare.City
	unresolved := regexp.MustCompile(`^[A-Z]{3}$|(?i)airport|aeroport|aéroport|aeropuerto|flughafen`)
	for i := 0; i < len(citiesTable); {
		c, next := cityAt(i)
		if !isUnserved(string(c.code)) {
			cities = append(cities, c.code)
		}
		if at, ok := position(string(c.code)); !ok || at != i {
			t.Errorf("%s is at %d, but codes.tsv says %d", c.code, i, at)
		}
		for _, a := range strings.Split(c.airports, " ") {
			if city, _ := CityOf(a); city != c.code {
				t.Errorf("%s has airport %s, but that is of %q", c.code, a, city)
			}
		}
		for _, lang := range Langs {
			if name := c.name(lang); name == "" || unresolved.MatchString(name) {
				t.Errorf("%s is called %q in %s", c.code, name, lang)
			} else if e, ok := lookup(Fold(name)); isUnserved(string(c.code)) {
			} else if !ok {
				t.Errorf("%s is called %q in %s, but Find does not know that", c.code, name, lang)
			} else if e.city != c.code && e.kind != KindArea && !slices.ContainsFunc(Complete(name, lang,
				50), func(p Place) bool { return p.City == c.code }) {
				t.Errorf("%s is called %q in %s, but that completes to others only", c.code, name, lang)
			}
		}
		i = next
	}
	if len(cities) < 3400 {
		t.Errorf("%d cities, want 3,400 at least", len(cities))
	}
	if got := slices.Collect(Cities()); !slices.Equal(got, cities) {
		t.Error("Cities differs from the table")
	}
	last := ""
	for i := 0; i < len(namesTable); {
		e, next := entryAt(i)
		if e.key < last || e.key == "" || e.key != Fold(e.key) || len(e.key) > maxQuery ||
			!utf8.ValidString(e.written) {
			t.Errorf("names.tsv: %q after %q", e.key, last)
		}
		if _, ok := Get(e.city); !ok && e.kind != KindArea {
			t.Errorf("names.tsv: %q is of %s, which is no city", e.key, e.city)
		}
		if found := searchNames(e.key); e.key != last && found != i {
			t.Errorf("%q is at %d, but the search says %d", e.key, i, found)
		}
		last, i = e.key, next
	}
	if len(namesTable)+len(citiesTable)+len(codesTable) > 2<<20 {
		t.Error("the tables are over 2 MB")
	}
}

func TestNothingIsAllocatedForAMiss(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { Find("Pisticci") }); n > 1 {
		t.Errorf("Find allocates %v times for a name that it does not know", n)
	}
}

func FuzzQueries(f *testing.F) {
	for _, s := range []string{"Milano", "são paulo", "東京", "서울", "\u1109\u1165", "ﬁrenze", "İstanbul", "ẞ", "ǅ",
		"\x00\xff\xed\xa0\x80", "a\u0301\u0301", "か\u3099", "MXP", "ſk", "ık", strings.Repeat("é", 200)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		folded := Fold(s)
		if !utf8.ValidString(folded) || Fold(folded) != folded {
			t.Fatalf("Fold(%q) = %q, folded again %q", s, folded, Fold(folded))
		}
		if p, ok := Find(s); ok {
			if q, ok := Get(p.City); !ok || p.Name == "" || !slices.Equal(p.Airports, q.Airports) {
				t.Fatalf("Find(%q) = %v, Get = %v", s, p, q)
			}
		}
		for _, name := range Suggest(s, 5) {
			if _, ok := Find(name); !ok {
				t.Fatalf("Suggest(%q) offers %q, which Find does not know", s, name)
			}
		}
		for _, p := range Complete(s, "it", 5) {
			if p.Name == "" || len(p.Airports) == 0 {
				t.Fatalf("Complete(%q) offers %v", s, p)
			}
		}
	})
}

func TestFindCodes(t *testing.T) {
	for city := range Cities() {
		query := Query(city, "")
		if p, ok := Find(query); !ok || p.City != city || query != string(city) && !isAbbreviation(string(city)) {
			t.Errorf("Find(%q) = %s, want %s", query, p.City, city)
		}
	}
}
