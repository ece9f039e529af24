package departures

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"verdetto/shared/architecture/testenv"
)

// TestEvidenceReference compares the replay of whole recorded panels with a reference program in
// Python. If VERDETTO_REFERENCE is the path of that program, each row is compared with its output.
// Otherwise only means are compared, with means that the program computed earlier.
func TestEvidenceReference(t *testing.T) {
	for _, c := range []struct {
		name, file, price string
		rows, answers     int
		percentile, week  float64 // means over all rows: percentile, chance of a fall within 7 days
		product           float64 // mean of percentile times chance
	}{
		{"weekly", "eu_wizzair_weekly", "", 107642, 107642, 0.499715951237, 0.127792478159, 0.079735472678},
		{"Google", "google2026", "", 544196, 544183, 0.499899732732, 0.190235226545, 0.115876865348},
		{"recent", "travelpayouts_history_2026", "outbound_price", 2406, 1889, 0.486922002047, 0.128565627817,
			0.080003213623},
		{"the real source, 14 months", "travelpayouts_daily_2025_2026", "", 197505, 197295, 0.500099978923,
			0.123794965093, 0.073365997439},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(testenv.Data(t), "fares", c.file+".csv.gz")
			panel, got := asReference(t, path, c.price)
			var answers int
			var percentile, week, product float64
			for i, p := range got.percentile {
				week += got.chance[0][i]
				if !math.IsNaN(p) {
					answers++
					percentile += p
					product += p * got.chance[0][i]
				}
			}
			percentile, product, week = percentile/float64(answers), product/float64(answers),
				week/float64(len(panel.rows))
			if len(panel.rows) != c.rows || answers != c.answers {
				t.Errorf("%d rows, %d answers; the reference has %d and %d", len(panel.rows), answers, c.rows,
					c.answers)
			}
			for name, pair := range map[string][2]float64{"percentile": {percentile, c.percentile},
				"chance": {week, c.week}, "product": {product, c.product}} {
				if math.Abs(pair[0]-pair[1]) > 1e-9 {
					t.Errorf("mean %s %.12f, the reference's is %.12f", name, pair[0], pair[1])
				}
			}
			program := os.Getenv("VERDETTO_REFERENCE")
			if program == "" {
				t.Log("VERDETTO_REFERENCE names no program: only means were compared")
				return
			}
			args := []string{program, path}
			if c.price != "" {
				args = append(args, c.price)
			}
			reference := exec.CommandContext(t.Context(), testenv.Command(t, "python3",
				"apt-get install python3"), args...)
			reference.Stderr = os.Stderr
			out, err := reference.Output()
			if err != nil {
				t.Fatal(err)
			}
			compareAnswers(t, panel, got, readAnswers(t, bytes.NewReader(out)))
		})
	}
}
