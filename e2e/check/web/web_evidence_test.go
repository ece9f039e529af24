package web

import (
	"path/filepath"
	"testing"

	"verdetto/shared/architecture/testenv"
	"verdetto/shared/upstream/csvfile"
)

func TestEvidenceJourney(t *testing.T) {
	b := openBrowser(t)
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) { journey(t, b, s) })
	}
}

func TestEvidenceScore(t *testing.T) {
	for name, file := range map[string]string{"score-source": "travelpayouts_daily_2025_2026",
		"score-weekly": "eu_wizzair_weekly"} {
		t.Run(name, func(t *testing.T) {
			source, err := csvfile.Open(filepath.Join(testenv.Data(t), "fares", file+".csv.gz"), comparable(), "")
			if err != nil {
				t.Fatal(err)
			}
			score(t, name, source)
		})
	}
}
