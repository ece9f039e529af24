package web

import (
	"path/filepath"
	"testing"

	"verdetto/shared/testenv"
	"verdetto/shared/upstream/csvfile"
)

// TestEvidenceJourney goes from the first look to a key on every screen.
func TestEvidenceJourney(t *testing.T) {
	b := openBrowser(t)
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) { journey(t, b, s) })
	}
}

// TestEvidenceScore looks at the score that 14 months of recorded fares would have left.
func TestEvidenceScore(t *testing.T) {
	source, err := csvfile.Open(filepath.Join(testenv.Data(t), "fares", "travelpayouts_daily_2025_2026.csv.gz"), comparable())
	if err != nil {
		t.Fatal(err)
	}
	score(t, source)
}
