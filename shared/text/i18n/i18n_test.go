package i18n

import (
	"strings"
	"testing"
)

func TestAccepted(t *testing.T) {
	for given, want := range map[string]string{
		"":                                       "it",
		"it-IT,it;q=0.9,en;q=0.8":                "it",
		"EN-gb":                                  "en",
		"pl;q=0.9, en;q=0.5":                     "en",
		"nl":                                     "it",
		"english":                                "en",
		"en;q=0.1":                               "en",
		"de-AT,de;q=0.9,en;q=0.8":                "de",
		"fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5":     "fr",
		"it;q=0.5, en;q=0.8":                     "en",
		"en ; q = 0.5, de ;q=0.7":                "de",
		"en;q=0, de;q=0.1":                       "de",
		"en;q=0":                                 "it",
		"de;q=0.8, fr;q=0.8":                     "de",
		"de;q=many, en;q=0.9":                    "it",
		"de;q=NaN, en;q=0.9":                     "de",
		"en;q=0.9, de;q=7":                       "de",
		"*":                                      "it",
		"*, en;q=0.5":                            "en",
		" , ;;, it ":                             "it",
		strings.Repeat("x,", 10_000):             "it",
		strings.Repeat("en;q=0.1,", 1000) + "de": "de",
	} {
		if got := ForHeader(given).Code; got != want {
			t.Errorf("%.30q: %s, want %s", given, got, want)
		}
	}
}

func TestSpoken(t *testing.T) {
	if got := or([]string{"Italian", "English", "German"}); got != "Italian, English or German" {
		t.Error(got)
	}
}

func TestACatalogueIsReadWhenAskedFor(t *testing.T) {
	known := languages
	defer func() { languages = known }()
	languages = nil
	for _, l := range known {
		languages = append(languages, &Language{Code: l.Code, Name: l.Name, English: l.English})
	}
	Spoken()
	ForHeader("fr, de;q=0.5").Count("calendar.days", 3)
	for _, l := range languages {
		if read := l.texts != nil; read != (l.Code == "fr") {
			t.Errorf("%s: read %v", l.Code, read)
		}
	}
}
