package departure

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

// Record holds the outcomes of chances of a fall on recorded panels. `verdetto backtest -record`
// writes it, and it is embedded in the executable. Answers cite it until the service has enough
// cases of its own.
type Record struct {
	Panels   []RecordPanel   `json:"panels"`
	Horizons []RecordHorizon `json:"horizons"`
}

// RecordPanel is one panel's part.
type RecordPanel struct {
	Name     string          `json:"name"`
	First    string          `json:"first"` // first day
	To       string          `json:"to"`    // last day
	Routes   int             `json:"routes"`
	Horizons []RecordHorizon `json:"horizons"`
}

// RecordHorizon holds the bands of one horizon, in order. The record itself has one band per two
// edges.
type RecordHorizon struct {
	Days  int    `json:"days"`
	Bands []Band `json:"bands"`
}

// Band holds the outcomes of chances from From up to To, within the horizon. The departures left
// after the end of the horizon. All fields but Cases and Panels are fractions: 0.05 is 5 %. In the
// record's own bands the figures are those of the first panel. Low and High cover all panels with
// enough cases.
type Band struct {
	From   float64 `json:"from"`
	To     float64 `json:"to"`
	Cases  int     `json:"cases"`
	Fell   float64 `json:"fell"` // share with a fare at least 5 % lower
	Rose   float64 `json:"rose"` // share with a fare at least 5 % higher
	Mean   float64 `json:"mean"` // mean change of the fare by waiting: the last fare seen against that of the day
	Low    float64 `json:"low"`  // lower end of the 95 % interval of Mean; without an interval, Mean
	High   float64 `json:"high"`
	Median float64 `json:"median"` // median of these changes
	Dearer float64 `json:"dearer"` // share of waits that ended dearer
	Random float64 `json:"random"` // as Mean, against buying on a random day of the wait
	Panels int     `json:"panels"` // number of panels behind the interval
}

// Pays reports whether waiting was cheaper on the record: the whole interval is below 0.
func (b Band) Pays() bool { return b.High < 0 }

// RecordEdges are the edges of the bands. The last band is 0.40 and more.
var RecordEdges = []float64{0, .05, .1, .2, .3, .4, 1}

// Band returns the band of a chance.
func (r *Record) Band(h Horizon, chance float64) Band {
	inner := RecordEdges[1 : len(RecordEdges)-1]
	return r.Horizons[h].Bands[place(chance, inner)]
}

//go:embed record.json
var recordJSON []byte

// Recorded returns the record that answers cite. It is parsed on first use, since the command that
// writes a new one must run without it.
var Recorded = sync.OnceValue(func() *Record { return mustReadRecord(recordJSON) })

// mustReadRecord parses a record. It panics on an invalid one, which fails every test.
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
