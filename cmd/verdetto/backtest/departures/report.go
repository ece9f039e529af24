package departures

import "verdetto/cmd/verdetto/backtest/stats"

// Report holds the results of a replay. Shares, chances of a fall and changes are fractions: 0.05
// is 5 %. The outcome of a row (a fare on one day) is known if its departure was seen again within
// 7 days and the panel (observed fares) covers these days. Results that could not be measured are
// absent.
type Report struct {
	Ask        string         `json:"ask"`   // partenza
	First      string         `json:"first"` // the first day of the panel
	From       string         `json:"from"`  // the first day that is judged
	To         string         `json:"to"`    // the last day with fares that are used
	Cycle      int            `json:"cycleDays"`
	Read       int            `json:"rowsRead"`
	Dropped    map[string]int `json:"rowsDropped,omitempty"`
	Notes      []string       `json:"notes,omitempty"`
	Rows       int            `json:"rows"` // one row is the fare of a departure on a day
	Routes     int            `json:"routes"`
	Departures int            `json:"departures"`
	BlockDays  int            `json:"blockDays"` // length of the blocks of days for intervals
	Questions  int            `json:"asked"`
	Fell       float64        `json:"fell"` // share of Questions whose fare fell at least 5 % within 7 days

	Methods     []Method     `json:"methods"`
	Fortnight   *Method      `json:"fortnight,omitempty"` // results of the rule's chance of a fall within 14 days
	Against     []Comparison `json:"against"`
	Levels      []Level      `json:"levels"`
	Percentiles []Percentile `json:"percentiles"`
	WorstMiss   float64      `json:"worstMissOfPercentile"`
	// The largest error of the percentile in each quarter of the year, and in each range of days
	// before departure. In WorstMiss, errors of two quarters or ranges can cancel each other.
	MissByQuarter []stats.Miss `json:"missByQuarter"`
	MissByLead    []stats.Miss `json:"missByLead"`
	Cover         []Cover      `json:"cover"`
	Followed      []Followed   `json:"followed"` // outcomes of waiting 7 and 14 days, in the bands of the record
	References    []Reference  `json:"references"`
	Missing       []string     `json:"missing,omitempty"`
}

// Method holds the results of one method, the rule or the rival, over the rows (each a fare on one
// day) that the method answers.
type Method struct {
	Name        string       `json:"name"`
	Answered    float64      `json:"answered"` // share of the rows with a known outcome that it answers
	Count       int          `json:"count"`
	AUC         float64      `json:"auc"` // of the chance of a fall
	Interval    *stats.Range `json:"aucInterval,omitempty"`
	ScoreAUC    float64      `json:"scoreAuc"` // of the percentile or class alone, without learning
	BrierSkill  float64      `json:"brierSkill"`
	ECE         float64      `json:"ece"`
	Reliability []Bin        `json:"reliability"`
	WorstMiss   *float64     `json:"worstMissOfPercentile,omitempty"` // only for methods whose score is a percentile
}

// Comparison compares the rule with the rival on the rows (each a fare on one day) that both answer.
// For the rival, AUC measures the score, a percentile or class that needs no learning. For the
// rule, it measures the chance of a fall.
type Comparison struct {
	Rival           string       `json:"rival"`
	Count           int          `json:"count"`
	Rule            float64      `json:"ruleAuc"`
	RuleScore       float64      `json:"ruleScoreAuc"`
	AUC             float64      `json:"rivalAuc"`
	ChanceAUC       float64      `json:"rivalChanceAuc"`
	Difference      float64      `json:"difference"`
	Interval        *stats.Range `json:"interval,omitempty"`
	RuleBrierSkill  float64      `json:"ruleBrierSkill"`
	RivalBrierSkill float64      `json:"rivalBrierSkill"`
	RuleECE         float64      `json:"ruleEce"`
	RivalECE        float64      `json:"rivalEce"`
}

// Level holds what happened after fares of one level. The level "all" covers all rows (each a fare
// on one day), for comparison.
type Level struct {
	Level string       `json:"livello"`
	Count int          `json:"count"`
	Fell  float64      `json:"fell"`
	Falls *stats.Range `json:"fellInterval,omitempty"`
	Rose  float64      `json:"rose"`
	Rises *stats.Range `json:"roseInterval,omitempty"`
}

// Percentile is the share of answers with a percentile of P or less. If percentiles are right, the
// share is P %.
type Percentile struct {
	P        int          `json:"percentile"`
	Share    float64      `json:"share"`
	Interval *stats.Range `json:"interval,omitempty"`
}

// Cover is how many fares lie inside a price range. The rule computes the range so that it contains
// a stated share of comparable fares, for example 50 % between the quartiles.
type Cover struct {
	Stated   float64      `json:"stated"`
	Share    float64      `json:"held"`
	Interval *stats.Range `json:"interval,omitempty"`
}

// Reference holds the results of the rule on a reference, the panel with invented prices.
type Reference struct {
	Name     string    `json:"name"`
	Count    int       `json:"count"`
	AUC      float64   `json:"auc,omitempty"` // absent if all fares fell or none did
	ScoreAUC float64   `json:"scoreAuc,omitempty"`
	Falls    []float64 `json:"fellByLevel"` // share of falls by level, from ottimo to caro
}
