package web

import "testing"

// TestEvidenceJourney goes from the first look to a key on every screen.
func TestEvidenceJourney(t *testing.T) {
	b := openBrowser(t)
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) { journey(t, b, s) })
	}
}
