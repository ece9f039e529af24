package httpapi

import (
	"os"
	"regexp"
	"testing"
)

func TestSynonymsAreDocumented(t *testing.T) {
	data, err := os.ReadFile("../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, pair := range regexp.MustCompile("`(\\w+)`/`(\\w+)`").FindAllStringSubmatch(string(data), -1) {
		documented[pair[1]] = pair[2]
	}
	for _, pair := range synonyms {
		if documented[pair[0]] != pair[1] {
			t.Errorf("%s is documented as %q, want %q", pair[0], documented[pair[0]], pair[1])
		}
	}
	if len(documented) != len(synonyms) {
		t.Errorf("%d names are documented, %d accepted", len(documented), len(synonyms))
	}
}
