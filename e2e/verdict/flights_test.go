package verdict

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"testing"

	"verdetto/shared/verdict"
)

// An airport of the same city is refused without counting. A code without flights of its own means its city.
// A metropolitan code means the city.
func TestBadAirports(t *testing.T) {
	t.Parallel()
	h := serving(t, aroundMilanAndLondon(t))
	for query, want := range map[string]string{
		"origine=PMF&destinazione=Londra":    "200 ",
		"origine=Milano&destinazione=BQH":    "200 ",
		"origine=BGY&destinazione=MXP":       "400 stessa-citta",
		"origine=Bergamo&destinazione=Milan": "400 stessa-citta",
		"origine=QQQ&destinazione=STN":       "404 citta-sconosciuta",
		"origine=MIL&destinazione=LON":       "200 ",
		"origine=BGY&destinazione=LON":       "200 BGY-",
		"origine=MIL&destinazione=Stansted":  "200 -STN",
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/analisi?"+query, nil))
		var got struct {
			verdict.Analysis
			Code string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if tratta := got.Tratta; tratta != nil {
			got.Code = tratta.Origine + "-" + tratta.Destinazione
		}
		if is := fmt.Sprintf("%d %s", w.Code, got.Code); is != want {
			t.Errorf("%s: %s, want %s", query, is, want)
		}
	}
}
