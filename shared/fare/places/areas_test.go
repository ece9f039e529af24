package places

import (
	"testing"
)

func TestAreas(t *testing.T) {
	for name, code := range map[string]string{"Spain": "ES", "españa": "ES", "Spagna": "ES", "Vereinigtes Königreich": "GB",
		"europa": "150", "Asie": "142", "North America": "003"} {
		if a, ok := FindArea(name); !ok || a.Code != code {
			t.Errorf("%s: %+v", name, a)
		}
	}
	for _, name := range []string{"", "Atlantis", "Spai"} {
		if a, ok := FindArea(name); ok {
			t.Errorf("%q is %+v", name, a)
		}
	}
	if a, ok := CompleteArea("spa", "it"); !ok || a.NameIn("it") != "Spagna" || a.NameIn("pt") != "Espanha" {
		t.Errorf("spa: %+v", a)
	}
	if a, ok := CompleteArea("spain", "de"); !ok || a.Code != "ES" {
		t.Errorf("spain in German: %+v", a)
	}
	if a, ok := CompleteArea("alem", "it"); ok {
		t.Errorf("four letters of another language complete %+v", a)
	}
	for query, code := range map[string]string{"Spian": "ES", "Germnay": "DE", "Spagan": "ES", "Spin": "", "Milnao": ""} {
		if a, ok := SuggestArea(query); ok != (code != "") || a.Code != code {
			t.Errorf("%s suggests %+v, want %q", query, a, code)
		}
	}
	if a, ok := CompleteArea("sp", "it"); ok {
		t.Errorf("two letters complete %+v", a)
	}
	europe, _ := AreaOf("150")
	spain, _ := AreaOf("ES")
	if !europe.Holds("ES") || !europe.Holds("150") || europe.Holds("JP") || !spain.Holds("ES") || spain.Holds("IT") {
		t.Error("what holds what is wrong")
	}
}

func TestEveryCityHasACountry(t *testing.T) {
	for code := range Cities() {
		p, _ := Get(code)
		a, ok := AreaOf(p.Country)
		if !ok || a.continent == "" {
			t.Errorf("%s: country %q: %+v", code, p.Country, a)
		}
		for _, lang := range Langs {
			if a.NameIn(lang) == "" {
				t.Errorf("%s has no name in %s", p.Country, lang)
			}
		}
	}
}

func TestCompleteForgivesOneTypo(t *testing.T) {
	for typed, want := range map[string]string{"Lisbno": "Lisbona", "bucrest": "Bucarest", "Barcelina": "Barcellona",
		"Berlni": "Berlino", "Parigi": "Parigi"} {
		if all := Complete(typed, "it", 5); len(all) == 0 || all[0].Name != want {
			t.Errorf("%s: %v, want %s first", typed, all, want)
		}
	}
	for _, typed := range []string{"qqq", "Xisbona", "Lxsbxna"} {
		if all := Complete(typed, "it", 5); len(all) > 0 {
			t.Errorf("%s: %v", typed, all)
		}
	}
}
