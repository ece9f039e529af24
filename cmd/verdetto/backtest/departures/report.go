package departures

import "verdetto/cmd/verdetto/backtest/stats"

// Report holds the results. Shares, chances and changes are fractions: 0.05 is 5 %. A row counts if
// its outcome is known: the departure was seen again within 7 days that the panel covers. Results
// that could not be measured are absent.
type Report struct {
	Ask        string         `json:"ask"`   // partenza, mese, or flessibile and its days
	First      string         `json:"first"` // the first day of the panel
	From       string         `json:"from"`  // the first day that is judged
	To         string         `json:"to"`    // the last day
	Cycle      int            `json:"cycleDays"`
	Read       int            `json:"rowsRead"`
	Dropped    map[string]int `json:"rowsDropped,omitempty"`
	Notes      []string       `json:"notes,omitempty"`
	Rows       int            `json:"rows"` // fares of a departure on a day
	Routes     int            `json:"routes"`
	Departures int            `json:"departures"`
	BlockDays  int            `json:"blockDays"` // length of the blocks of days for intervals
	Questions  int            `json:"asked"`
	Fell       float64        `json:"fell"` // share of Questions that fell

	Methods   []Method     `json:"methods"`
	Fortnight *Method      `json:"fortnight,omitempty"` // the rule's chance within 14 days
	Against   []Comparison `json:"against"`
	FirstRule *FirstRule   `json:"firstRule,omitempty"` // departures only
	// The rule's chances after calibration, as a service with a score publishes them; departures
	// only.
	Recalibrated []Recalibrated `json:"recalibrated,omitempty"`
	Levels       []Level        `json:"levels"`
	Percentiles  []Percentile   `json:"percentiles"`
	WorstMiss    float64        `json:"worstMissOfPercentile"`
	// The same by quarter of the day of the question, and by days before departure. Errors of two
	// parts can cancel over the whole.
	MissByQuarter []stats.Miss `json:"missByQuarter"`
	MissByLead    []stats.Miss `json:"missByLead"`
	Cover         []Cover      `json:"cover"`
	Waiting       []Waiting    `json:"waiting"`  // one week, in few bands
	Followed      []Followed   `json:"followed"` // each horizon, in the bands of the record
	References    []Reference  `json:"references"`
	Missing       []string     `json:"missing,omitempty"`
}

// Method holds the results of one method, over the rows that it answers.
type Method struct {
	Name        string       `json:"name"`
	Answered    float64      `json:"answered"` // share of the rows with a known outcome
	Count       int          `json:"count"`
	AUC         float64      `json:"auc"` // of the chance
	Interval    *stats.Range `json:"aucInterval,omitempty"`
	ScoreAUC    float64      `json:"scoreAuc"` // of the percentile or the class alone
	BrierSkill  float64      `json:"brierSkill"`
	ECE         float64      `json:"ece"`
	Reliability []Bin        `json:"reliability"`
	WorstMiss   *float64     `json:"worstMissOfPercentile,omitempty"` // if the score is a percentile
}

// Recalibrated compares the rule's chances of a horizon with the calibrated ones, on the rows with
// a known outcome.
type Recalibrated struct {
	Days           int     `json:"days"`
	Count          int     `json:"count"`
	ECE            float64 `json:"ece"`
	RuleECE        float64 `json:"ruleEce"`
	BrierSkill     float64 `json:"brierSkill"`
	RuleBrierSkill float64 `json:"ruleBrierSkill"`
}

// Comparison compares the rule and a rival on the rows that both answer. The rival's AUC is that of
// its score, which needs no learning. The rule's AUC is that of its chance.
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

// Level holds the outcomes of the rows of a level; "all" is the base rate.
type Level struct {
	Level string       `json:"livello"`
	Count int          `json:"count"`
	Fell  float64      `json:"fell"`
	Falls *stats.Range `json:"fellInterval,omitempty"`
	Rose  float64      `json:"rose"`
	Rises *stats.Range `json:"roseInterval,omitempty"`
}

// Percentile is the share of answers with a percentile of P or less.
type Percentile struct {
	P        int          `json:"percentile"`
	Share    float64      `json:"share"`
	Interval *stats.Range `json:"interval,omitempty"`
}

// Cover is the share of fares within the price range that should hold the stated share of
// comparables.
type Cover struct {
	Stated   float64      `json:"stated"`
	Share    float64      `json:"held"`
	Interval *stats.Range `json:"interval,omitempty"`
}

// Reference holds the results of the rule on the panel with other prices.
type Reference struct {
	Name     string    `json:"name"`
	Count    int       `json:"count"`
	AUC      float64   `json:"auc,omitempty"` // absent if all outcomes are equal
	ScoreAUC float64   `json:"scoreAuc,omitempty"`
	Falls    []float64 `json:"fellByLevel"` // ottimo to caro
}
