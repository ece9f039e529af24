package departures

import "verdetto/cmd/verdetto/backtest/stats"

// Report is the evidence. Shares, chances and changes are fractions: 0.05 is 5 %.
// A row is asked where its outcome is known: the departure was seen again within
// 7 days, and the panel goes on for as long. What could not be measured is absent.
type Report struct {
	Ask        string         `json:"ask"`   // partenza, mese, or flessibile and its days
	First      string         `json:"first"` // the first day of the panel
	From       string         `json:"from"`  // the first that is judged
	To         string         `json:"to"`    // the last
	Cycle      int            `json:"cycleDays"`
	Read       int            `json:"rowsRead"`
	Dropped    map[string]int `json:"rowsDropped,omitempty"`
	Notes      []string       `json:"notes,omitempty"`
	Rows       int            `json:"rows"` // fares of a departure on a day
	Routes     int            `json:"routes"`
	Departures int            `json:"departures"`
	BlockDays  int            `json:"blockDays"` // days that are drawn together for the intervals
	Asked      int            `json:"asked"`
	Fell       float64        `json:"fell"` // share of these that fell

	Methods   []Method     `json:"methods"`
	Fortnight *Method      `json:"fortnight,omitempty"` // the rule's chance of 14 days
	Against   []Comparison `json:"against"`
	// The rule's chances as a service with a score of itself tells them; of departures.
	Recalibrated []Recalibrated `json:"recalibrated,omitempty"`
	Levels       []Level        `json:"levels"`
	Percentiles  []Percentile   `json:"percentiles"`
	WorstMiss    float64        `json:"worstMissOfPercentile"`
	Cover        []Cover        `json:"cover"`
	Waiting      []Waiting      `json:"waiting"`  // a week, in few bands
	Followed     []Followed     `json:"followed"` // each horizon, in the bands of the record
	References   []Reference    `json:"references"`
	Missing      []string       `json:"missing,omitempty"`
}

// Method is one way to judge, over the rows that it answers.
type Method struct {
	Name        string       `json:"name"`
	Answered    float64      `json:"answered"` // share of the rows that were asked
	Count       int          `json:"count"`
	AUC         float64      `json:"auc"` // of the chance
	Interval    *stats.Range `json:"aucInterval,omitempty"`
	ScoreAUC    float64      `json:"scoreAuc"` // of the percentile or the class alone
	BrierSkill  float64      `json:"brierSkill"`
	ECE         float64      `json:"ece"`
	Reliability []Bin        `json:"reliability"`
	WorstMiss   *float64     `json:"worstMissOfPercentile,omitempty"` // where the score is a percentile
}

// Recalibrated is the rule's chances of a horizon and the same brought to what
// came of earlier ones, on the rows that are asked.
type Recalibrated struct {
	Days           int     `json:"days"`
	Count          int     `json:"count"`
	ECE            float64 `json:"ece"`
	RuleECE        float64 `json:"ruleEce"`
	BrierSkill     float64 `json:"brierSkill"`
	RuleBrierSkill float64 `json:"ruleBrierSkill"`
}

// Comparison is the rule and a rival on the rows that both answer. The rival's
// AUC is that of its score, which needs no learning, the rule's that of its chance.
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

// Level is what became of the rows of a level; "all" is the base rate.
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

// Cover is how many fares lay in the span of prices that holds so many comparables.
type Cover struct {
	Stated   float64      `json:"stated"`
	Held     float64      `json:"held"`
	Interval *stats.Range `json:"interval,omitempty"`
}

// Reference is the rule on the panel with other prices.
type Reference struct {
	Name     string    `json:"name"`
	Count    int       `json:"count"`
	AUC      float64   `json:"auc,omitempty"` // absent where all rows fared alike
	ScoreAUC float64   `json:"scoreAuc,omitempty"`
	Falls    []float64 `json:"fellByLevel"` // ottimo to caro
}
