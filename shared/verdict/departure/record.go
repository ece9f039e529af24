package departure

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

// Record holds what followed in recorded fares, for ranges of predicted chances of a fall. A panel
// is a set of recorded fares. `cmd/backtest -record` writes the Record to record.json, which
// is embedded in the executable. Answers cite the Record until the service has enough outcomes (did
// the fare fall?) of its own.
type Record struct {
	Panels   []RecordPanel   `json:"panels"`
	Horizons []RecordHorizon `json:"horizons"`
}

// RecordPanel holds the results for one panel, a set of recorded fares.
type RecordPanel struct {
	Name     string          `json:"name"`
	First    string          `json:"first"` // first day
	To       string          `json:"to"`    // last day
	Routes   int             `json:"routes"`
	Horizons []RecordHorizon `json:"horizons"`
}

// RecordHorizon holds the bands of one horizon (7 or 14 days), lowest chance of a fall first. A
// band is the range of chances between two successive RecordEdges.
type RecordHorizon struct {
	Days  int    `json:"days"`
	Bands []Band `json:"bands"`
}

// Band holds what followed after answers whose chance of a fall was at least From and less than To.
// Only departures that left after the end of the horizon (7 or 14 days) count. All fields but Cases
// and Panels are fractions: 0.05 is 5 %. In Record.Horizons the values are those of the first
// panel. But Low and High cover all panels (observed fares) with enough cases.
type Band struct {
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Cases  int     `json:"cases"`
	Fell   float64 `json:"fell"` // share with a fare at least 5 % lower
	Rose   float64 `json:"rose"` // share with a fare at least 5 % higher
	Mean   float64 `json:"mean"` // mean change from the judged fare to the last fare within the horizon
	Low    float64 `json:"low"`  // lower end of the 95 % interval of Mean; if there is no interval, Mean
	High   float64 `json:"high"`
	Median float64 `json:"median"` // median of these changes
	Dearer float64 `json:"dearer"` // share of waits that ended dearer
	Random float64 `json:"random"` // mean change against buying on a random day of the wait
	Panels int     `json:"panels"` // number of panels behind the interval
}

// Pays reports whether waiting saved money: the whole 95 % interval of the mean price change is
// below 0.
func (b Band) Pays() bool { return b.High < 0 }

// RecordEdges are the edges of the bands, as chances of a fall. The last band is 0.40 or more.
var RecordEdges = []float64{0, .05, .1, .2, .3, .4, 1}

// Band returns the band that contains the given chance of a fall within the horizon h.
func (r *Record) Band(h Horizon, chance float64) Band {
	inner := RecordEdges[1 : len(RecordEdges)-1]
	return r.Horizons[h].Bands[place(chance, inner)]
}

//go:embed record.json
var recordJSON []byte

// Recorded returns the embedded record that answers cite. The record is parsed on first use, not at
// start. So the command that writes a new record runs even if the embedded record is invalid.
var Recorded = sync.OnceValue(func() *Record { return mustReadRecord(recordJSON) })

// mustReadRecord parses a record. It panics if the record is invalid, so an invalid record.json
// fails the tests.
func mustReadRecord(data []byte) *Record {
	r := new(Record)
	if err := json.Unmarshal(data, r); err != nil {
		panic(fmt.Sprintf("read record.json: %v", err))
	}
	if len(r.Horizons) != int(horizons) {
		panic(fmt.Sprintf("read record.json: %d horizons where %d are wanted", len(r.Horizons), horizons))
	}
	for h, of := range r.Horizons {
		if of.Days != int(Horizon(h).Days()) || len(of.Bands) != len(RecordEdges)-1 {
			panic(fmt.Sprintf("read record.json: %d bands of %d days", len(of.Bands), of.Days))
		}
		for i, b := range of.Bands {
			if b.From != RecordEdges[i] || b.To != RecordEdges[i+1] || b.Cases == 0 {
				panic(fmt.Sprintf("read record.json: of %d days no cases from %v to %v", of.Days,
					RecordEdges[i], RecordEdges[i+1]))
			}
		}
	}
	return r
}
