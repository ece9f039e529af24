package access

import (
	"testing"

	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/fare"
)

func asksForTrends(t *testing.T, reader *answer.Reader) {
	t.Helper()
	of, err := fare.ParseSeries("MIL-LON@MXP-")
	if err != nil {
		t.Fatal(err)
	}
	trends := view.Reader{Reader: reader}
	if _, err := trends.Read(t.Context(), of, "EUR"); err != nil {
		t.Errorf("trends of Malpensa: %v", err)
	}
}
