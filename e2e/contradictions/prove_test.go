package contradictions

import "testing"

func TestProveOneFareOneWord(t *testing.T) {
	for _, p := range panels[:4] {
		t.Run(p.file, func(t *testing.T) { check(t, p, 12, 3) })
	}
}
