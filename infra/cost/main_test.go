package main

import (
	"flag"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the tables into the document anew")

// TestDocument: the tables in docs/deploy.md are those that this command prints.
func TestDocument(t *testing.T) {
	const file = "../../docs/deploy.md"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), begin)
	said, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s does not have the marks %q and %q", file, begin, end)
	}
	var b strings.Builder
	tables(&b)
	if *update {
		if err := os.WriteFile(file, []byte(before+begin+b.String()+end+after), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(b.String(), said); diff != "" {
		t.Errorf("%s is behind; go test ./infra/cost -update writes it:\n%s", file, diff)
	}
}

// TestByHand: one line, computed on paper.
func TestByHand(t *testing.T) {
	u := use{"", 0.5, 1, 0.01, 0.5, 1000, 1000, 1}
	// 0.0625 + 0.625; 0.20 + 5,000 GB-s; 1.00; 1.00 + 1 GB; 1 GB
	want := 0.6875 + (0.20 + 5000*0.0000133334) + 1.00 + 1.085 + 0.50
	if got := u.total(); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
	u.reaches = 0 // all from the edge
	if got := u.total(); math.Abs(got-1.085) > 1e-9 {
		t.Errorf("from the edge alone: %v, want 1.085", got)
	}
}
