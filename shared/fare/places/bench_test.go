package places

import (
	"os"
	"strings"
	"testing"
)

func BenchmarkFind(b *testing.B) {
	data, err := os.ReadFile("testdata/recorded.tsv")
	if err != nil {
		b.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(data)) {
		name, _, _ := strings.Cut(line, "\t")
		names = append(names, name)
	}
	for b.Loop() {
		for _, name := range names {
			Find(name)
		}
	}
}
