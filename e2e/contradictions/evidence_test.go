package contradictions

import "testing"

func TestEvidenceOneFareOneWord(t *testing.T) {
	for _, p := range panels {
		t.Run(p.file, func(t *testing.T) { check(t, p, 1<<20, 12) })
	}
}
