package i18n

import (
	"strings"
	"testing"
)

func TestAccepted(t *testing.T) {
	for given, want := range map[string]string{
		"":                           "it",
		"it-IT,it;q=0.9,en;q=0.8":    "it",
		"EN-gb":                      "en",
		"fr;q=0.9, en;q=0.5":         "en",
		"de":                         "it",
		"english":                    "it",
		"en;q=0.1":                   "en",
		" , ;;, it ":                 "it",
		strings.Repeat("x,", 10_000): "it",
	} {
		if got := Accepted(given).Code; got != want {
			t.Errorf("%.30q: %s, want %s", given, got, want)
		}
	}
}
