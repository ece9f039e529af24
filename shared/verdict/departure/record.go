package departure

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

// Record says what followed stated chances of a fall on recorded panels. It is
// made by `verdetto backtest -record` and part of the executable: answers cite
// it until a service has a record of its own.
type Record struct {
	Panels   []RecordPanel   `json:"panels"`
	Horizons []RecordHorizon `json:"horizons"`
}

// RecordPanel is one panel's part.
type RecordPanel struct {
	Name     string          `json:"name"`
	First    string          `json:"first"` // its first day
	To       string          `json:"to"`    // and its last
	Routes   int             `json:"routes"`
	Horizons []RecordHorizon `json:"horizons"`
}

// RecordHorizon is the bands of the chances of one horizon, in order; of the
// record itself there is one for each two edges.
type RecordHorizon struct {
	Days  int    `json:"days"`
	Bands []Band `json:"bands"`
}

// Band is what followed chances from From up to To, of departures further ahead
// than the horizon is long, within the horizon. All but Cases are fractions: 0.05 is 5 %.
// In the record's own bands the figures are those of the first panel, and Low and
// High reach over all panels that have enough cases.
type Band struct {
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Cases  int     `json:"cases"`
	Fell   float64 `json:"fell"` // share with a fare at least 5 % lower
	Rose   float64 `json:"rose"` // share with a fare at least 5 % higher
	Mean   float64 `json:"mean"` // change of the fare of who waits: the last one seen against that of the day
	Low    float64 `json:"low"`  // of the 95 % interval of Mean; of a panel without one, Mean
	High   float64 `json:"high"`
	Median float64 `json:"median"` // of the changes whose mean Mean is
	Dearer float64 `json:"dearer"` // share of waits that ended dearer
	Random float64 `json:"random"` // as Mean, against buying on a random day of the wait
	Panels int     `json:"panels"` // how many panels the interval is of
}

// Pays tells whether the record lets anybody be told to wait.
func (b Band) Pays() bool { return b.High < 0 }

// RecordEdges are those of the bands: the last is of .40 and more.
var RecordEdges = []float64{0, .05, .1, .2, .3, .4, 1}

// Band is where a chance lies.
func (r *Record) Band(h Horizon, chance float64) Band {
	inner := RecordEdges[1 : len(RecordEdges)-1]
	return r.Horizons[h].Bands[place(chance, inner)]
}

//go:embed record.json
var recordJSON []byte

// Recorded is the record that answers cite. It is read when it is first asked
// for: the command that makes it anew runs without.
var Recorded = sync.OnceValue(func() *Record { return mustReadRecord(recordJSON) })

// mustReadRecord reads a record. It is part of the executable: where it is wrong, no test passes.
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
