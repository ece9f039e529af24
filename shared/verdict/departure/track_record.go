package departure

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

// Record holds how recorded fares changed after each predicted chance of a fall. `cmd/backtest
// -record` writes record.json.
type Record struct {
	Panels   []RecordPanel
	Horizons []RecordHorizon
}

type RecordPanel struct {
	Name     string
	First    string
	To       string
	Routes   int
	Horizons []RecordHorizon
}

type RecordHorizon struct {
	Days  int
	Bands []Band
}

// Band holds what followed after answers whose chance of a fall was between From and To. All fields
// but Cases and Panels are fractions: 0.05 is 5 %.
type Band struct {
	From   float64
	To     float64
	Cases  int
	Fell   float64
	Rose   float64
	Mean   float64 // mean change from the judged fare to the last fare within the horizon
	Low    float64
	High   float64
	Median float64
	Dearer float64
	Random float64
	Panels int
}

// Pays reports whether waiting saved money: the whole interval of the mean change is below 0.
func (b Band) Pays() bool { return b.High < 0 }

var RecordEdges = []float64{0, .05, .1, .2, .3, .4, 1}

func (r *Record) Band(h Horizon, chance float64) Band {
	inner := RecordEdges[1 : len(RecordEdges)-1]
	return r.Horizons[h].Bands[place(chance, inner)]
}

//go:embed record.json
var recordJSON []byte

// Recorded is parsed on first use, so that the command that writes a new record runs even if the
// embedded record is invalid.
var Recorded = sync.OnceValue(func() *Record { return mustReadRecord(recordJSON) })

func mustReadRecord(data []byte) *Record {
	r := new(Record)
	if err := json.Unmarshal(data, r); err != nil {
		panic(fmt.Sprintf("read record.json: %v", err))
	}
	if len(r.Horizons) != int(horizons) {
		panic(fmt.Sprintf("read record.json: %d horizons where %d are wanted", len(r.Horizons), horizons))
	}
	for h, horizon := range r.Horizons {
		if horizon.Days != int(Horizon(h).Days()) || len(horizon.Bands) != len(RecordEdges)-1 {
			panic(fmt.Sprintf("read record.json: %d bands of %d days", len(horizon.Bands), horizon.Days))
		}
		for i, b := range horizon.Bands {
			if b.From != RecordEdges[i] || b.To != RecordEdges[i+1] || b.Cases == 0 {
				panic(fmt.Sprintf("read record.json: of %d days no cases from %v to %v", horizon.Days,
					RecordEdges[i], RecordEdges[i+1]))
			}
		}
	}
	return r
}
