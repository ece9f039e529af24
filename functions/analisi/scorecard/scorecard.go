// Package scorecard publishes the service's own score: its statements about departures and
// routes, and their outcomes. GET /v1/pagella returns it as JSON or CSV, /pagella as a page.
// Package score counts; this package turns counts into shares. Start reading at Publish.
package scorecard

import (
	"context"
	_ "embed"
	"math"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
	"verdetto/shared/web/httpapi"
)

// Service publishes the score.
type Service struct {
	Score Score // nil: no score is kept
	Now   func() time.Time
}

// Score reads the stored score; store.Fares implements it.
type Score interface {
	ScoreSum(ctx context.Context, read store.Consistency) ([]byte, error)
	ScoreWeeks(ctx context.Context, from fare.Day, read store.Consistency) ([]store.ScoreWeek, error)
}

// Pagella is the published score: the service's statements and their outcomes.
type Pagella struct {
	Fonte        string            `json:"fonte,omitempty" doc:"Name of the fare source; absent until anything was counted" example:"travelpayouts"`
	Dal          string            `json:"dal,omitempty" format:"date" doc:"First day on which anything was counted, UTC"`
	Al           string            `json:"al,omitempty" format:"date" doc:"Last day that is counted, UTC"`
	Settimane    int               `json:"settimane" minimum:"0" doc:"Weeks in which anything was counted, of the last 53"`
	Regola       int               `json:"regola" doc:"Number of the rules in force: what earlier ones said is not compared"`
	FuoriBanda   int               `json:"fuoriBanda" minimum:"0" doc:"Whole weeks in a row, up to now, outside of the band in which the service should be; from 3 on its operator is told"`
	Metodo       string            `json:"metodo" doc:"How it is counted, in one paragraph"`
	Somma        Voto              `json:"somma" doc:"All that was counted"`
	Scarti       Scarti            `json:"scarti" doc:"How far percentiles are off: over all, by quarter and by days ahead"`
	PerSettimana []VotoDiSettimana `json:"perSettimana" nullable:"false" doc:"The same by the week in which it was counted, the newest first, 53 at most. No week is ever taken out"`
}

// VotoDiSettimana is the score of a week.
type VotoDiSettimana struct {
	Lunedi  string `json:"lunedi" format:"date" doc:"Monday on which the week begins"`
	InBanda *bool  `json:"inBanda,omitempty" doc:"Whether as many fell as were said to (0.6 to 1.67 times), and fewer after ottimo and buono than after normale and caro; absent under 100 departures"`
	Voto
}

// Voto is a score. Shares and chances are fractions: 0.05 is 5 %.
type Voto struct {
	Rilevazioni int              `json:"rilevazioni" minimum:"0" doc:"Series and weeks of which something was said"`
	Partenze    []VotoPartenze   `json:"partenze" nullable:"false" doc:"What was said of single departures, for 7 and for 14 days"`
	Percentili  []VotoPercentili `json:"percentili" nullable:"false" doc:"Percentiles of departures by affidabilita: between 25 and 74 should lie half of them, between 5 and 94 nine tenths"`
	Rotte       VotoRotte        `json:"rotte" doc:"What was said of routes: of the cheapest fare of any date"`
}

// NonConfrontabili counts statements that could not be compared, by reason.
type NonConfrontabili struct {
	Partita     int `json:"partita" doc:"The departure left within the days"`
	NonRivista  int `json:"nonRivista" doc:"It was not seen again within the days"`
	Vecchia     int `json:"vecchia" doc:"Its fare had been found 3 days before, or earlier"`
	AltraRegola int `json:"altraRegola" doc:"The rule has changed since"`
	AltraValuta int `json:"altraValuta" doc:"The series is ranked in another currency since"`
}

// VotoPartenze is the score of statements about departures for one horizon.
type VotoPartenze struct {
	Giorni           int              `json:"giorni" enum:"7,14" doc:"Within so many days"`
	Dichiarate       int              `json:"dichiarate" doc:"Statements whose days are over"`
	Confrontate      int              `json:"confrontate" doc:"Of these, compared with what came"`
	NonConfrontabili NonConfrontabili `json:"nonConfrontabili"`
	Calate           float64          `json:"calate" doc:"Share of those compared that were seen at least 5 % cheaper"`
	Detto            float64          `json:"detto" doc:"Mean of their stated chances of that"`
	Errore           float64          `json:"errore" doc:"Expected calibration error: mean distance of stated chance and share, over bands of 5 points, each by its cases"`
	ErroreRegola     float64          `json:"erroreRegola" doc:"The same of the rule's own chances, over ten bands of 10 points"`
	Fasce            []Fascia         `json:"fasce" nullable:"false" doc:"By stated chance, those with cases"`
	Livelli          []VotoLivello    `json:"livelli" nullable:"false" doc:"By level, beside its references"`
	Anticipi         []VotoAnticipo   `json:"anticipi" nullable:"false" doc:"By days ahead, those with cases"`
	Eta              []VotoGruppo     `json:"eta" nullable:"false" doc:"By age of the fare in days: 0, or 1 to 2"`
	Affidabilita     []VotoGruppo     `json:"affidabilita" nullable:"false" doc:"By affidabilita as the rule gives it"`
}

// Fascia is a group of statements with nearly the same chance.
type Fascia struct {
	Da         float64 `json:"da" doc:"From this stated chance on"`
	A          float64 `json:"a" doc:"Up to this one, not included; 1 stands for all above"`
	Casi       int     `json:"casi"`
	Detto      float64 `json:"detto" doc:"Mean stated chance; 0.4 stands for 0.4 and more"`
	Calate     float64 `json:"calate" doc:"Share seen at least 5 % cheaper"`
	Salite     float64 `json:"salite" doc:"Share seen at least 5 % dearer"`
	PiuCare    float64 `json:"piuCare" doc:"Share whose fare was dearer when it was seen last"`
	Variazione float64 `json:"variazione" doc:"Mean change of the fare when it was seen last"`
}

// VotoLivello is the outcome of a level, with the shares of rivals without knowledge.
type VotoLivello struct {
	Livello      string  `json:"livello" enum:"ottimo,buono,normale,caro"`
	Casi         int     `json:"casi"`
	Calate       float64 `json:"calate" doc:"Share seen at least 5 % cheaper"`
	Salite       float64 `json:"salite" doc:"Share seen at least 5 % dearer"`
	Passeggiata  float64 `json:"passeggiata" doc:"Reference: the share on a random walk, where every level has the same and up is as likely as down: half of all that moved by 5 % either way"`
	Mescolate    float64 `json:"mescolate" doc:"Reference: the share if each price were drawn anew from the comparables, where any rank predicts well"`
	Comuni       int     `json:"comuni" doc:"Cases of the level that the rival answers as well"`
	CalateComuni float64 `json:"calateComuni" doc:"Share of these seen at least 5 % cheaper"`
	Rivale       int     `json:"rivale" doc:"Of the same rows, those that have this level by the rival: the percentile among fares of nearly the same lead time and season"`
	CalateRivale float64 `json:"calateRivale" doc:"Share of these seen at least 5 % cheaper"`
}

// VotoAnticipo is the outcome of the levels for a range of days ahead.
type VotoAnticipo struct {
	DaGiorni int       `json:"daGiorni"`
	AGiorni  *int      `json:"aGiorni,omitempty" doc:"Absent of the last"`
	Casi     []int     `json:"casi" nullable:"false" doc:"ottimo, buono, normale, caro"`
	Calate   []float64 `json:"calate" nullable:"false" doc:"Share of each seen at least 5 % cheaper"`
}

// VotoGruppo is a group of statements.
type VotoGruppo struct {
	Gruppo string  `json:"gruppo"`
	Casi   int     `json:"casi"`
	Detto  float64 `json:"detto"`
	Calate float64 `json:"calate"`
}

// VotoPercentili is the distribution of percentiles.
type VotoPercentili struct {
	Affidabilita string  `json:"affidabilita" enum:"alta,media,bassa"`
	Casi         int     `json:"casi"`
	Meta         float64 `json:"meta" doc:"Share between 25 and 74: should be 0.5"`
	NoveDecimi   float64 `json:"noveDecimi" doc:"Share between 5 and 94: should be 0.9"`
}

// VotoRotte is the score of verdicts about routes.
type VotoRotte struct {
	Dichiarate       int              `json:"dichiarate"`
	Confrontate      int              `json:"confrontate"`
	NonConfrontabili NonConfrontabili `json:"nonConfrontabili"`
	Livelli          []VotoRotta      `json:"livelli" nullable:"false"`
	Intervalli       []VotoIntervallo `json:"intervalli" nullable:"false" doc:"Whether the 90 % interval of the percentile held, 28 days later"`
}

// VotoRotta is how a route's cheapest fare moved within a week, by level.
type VotoRotta struct {
	Livello    string  `json:"livello" enum:"ottimo,buono,normale,caro"`
	Casi       int     `json:"casi"`
	Calate     float64 `json:"calate" doc:"Share whose cheapest fare was at least 5 % lower"`
	Salite     float64 `json:"salite" doc:"Share whose cheapest fare was at least 5 % higher"`
	Variazione float64 `json:"variazione" doc:"Mean change"`
}

// VotoIntervallo is how often an interval was right.
type VotoIntervallo struct {
	Affidabilita string  `json:"affidabilita" enum:"alta,media,bassa"`
	Casi         int     `json:"casi"`
	Tenuti       float64 `json:"tenuti" doc:"Share that held: should be 0.9"`
}

// method explains how the score is counted. Every answer includes it.
//
//go:embed method.txt
var method string

type pagellaInput struct {
	Formato     string `query:"formato" enum:"json,csv" doc:"json, or csv: a row for each number, with the columns settimana (empty in the sum), giorni, tabella, riga, misura, valore" default:"json"`
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of an answer that the caller has"`
}

// Register adds the endpoints to an API.
func (s *Service) Register(api *httpapi.API) {
	httpapi.JSON(api, "pagella", httpapi.JSONDoc{
		Summary: "What the service said, and what came of it",
		Description: "The service's own score: what was said of departures and routes, week after week, compared " +
			"with what came; stated chances beside shares, what followed each level beside its references, how often " +
			"intervals held, and what could not be compared and why. " +
			"By week and in sum, as JSON or CSV; as a page at /pagella.",
		Answer: Pagella{}, Text: "text/csv",
	}, nil, func(ctx context.Context, in *pagellaInput) (*httpapi.Tagged, error) {
		p, err := s.pagella(ctx)
		if err == nil && in.Formato == "csv" {
			return httpapi.Tag(in.IfNoneMatch, "text/csv; charset=utf-8", p.CSV()), nil
		}
		return httpapi.TagJSON(in.IfNoneMatch, p, err)
	})
	httpapi.Page(api, "pagella-page", httpapi.PageDoc{Summary: "The same as a page", Statuses: []int{200}}, s.page)
}

// pagella reads the score: one read for the sum, one query for at most 53 small weeks.
func (s *Service) pagella(ctx context.Context) (Pagella, error) {
	sum, weeks := new(score.Sum), map[fare.Day]*score.Sum{}
	if s.Score != nil {
		data, err := s.Score.ScoreSum(ctx, store.Eventual)
		if err != nil {
			return Pagella{}, err
		}
		if sum, err = score.DecodeSum(data); err != nil {
			return Pagella{}, err
		}
		stored, err := s.Score.ScoreWeeks(ctx,
			fare.CycleOf(fare.DayOf(s.Now())).First()-7*(score.MaxWeeks-1), store.Eventual)
		if err != nil {
			return Pagella{}, err
		}
		for _, w := range stored {
			if weeks[w.Monday], err = score.DecodeSum(w.Data); err != nil {
				return Pagella{}, err
			}
		}
	}
	return Publish(sum, weeks), nil
}

// Publish returns the published form of a score: the sum, and the weeks by their Mondays.
func Publish(sum *score.Sum, weeks map[fare.Day]*score.Sum) Pagella {
	p := Pagella{Fonte: sum.Source, Settimane: len(weeks), Regola: score.Rule, Metodo: method,
		Somma: votoOf(&sum.Counts), Scarti: scartiOf(&sum.Counts, weeks), PerSettimana: []VotoDiSettimana{}}
	if sum.Since == 0 {
		return p
	}
	p.Dal, p.Al = sum.Since.String(), sum.Until.String()
	if e := score.Learn(sum, score.Whole(weeks, fare.CycleOf(sum.Until+1).First())); e != nil {
		p.FuoriBanda = e.WeeksOut
	}
	for monday, w := range weeks {
		one := VotoDiSettimana{Lunedi: monday.String(), Voto: votoOf(&w.Counts)}
		if in, known := w.Horizons[0].InBand(); known {
			one.InBanda = &in
		}
		p.PerSettimana = append(p.PerSettimana, one)
	}
	slices.SortFunc(p.PerSettimana, func(a, b VotoDiSettimana) int {
		if a.Lunedi > b.Lunedi {
			return -1
		}
		return 1
	})
	return p
}

// share returns x/n rounded to 4 digits, more than its precision, or 0 if n is 0.
func share[T int64 | float64](x T, n int64) float64 {
	if n == 0 {
		return 0
	}
	return math.Round(1e4*float64(x)/float64(n)) / 1e4
}

func votoOf(c *score.Counts) Voto {
	v := Voto{Rilevazioni: int(c.Rounds), Percentili: []VotoPercentili{}}
	for h, of := range departure.Horizons() {
		v.Partenze = append(v.Partenze, partenzeOf(int(of.Days()), &c.Horizons[h]))
	}
	for i, name := range score.SureNames {
		var n, half, most int64
		for place, count := range c.Places[i] {
			n += count
			if place >= score.Places/4 && place < score.Places*3/4 {
				half += count
			}
			if place > 0 && place < score.Places-1 {
				most += count
			}
		}
		v.Percentili = append(v.Percentili, VotoPercentili{name, int(n), share(half, n), share(most, n)})
	}
	r := &c.Route
	v.Rotte = VotoRotte{Dichiarate: int(r.Stated()), Confrontate: int(r.Compared()),
		NonConfrontabili: missedOf(r.Missed)}
	for i, l := range r.Levels {
		v.Rotte.Livelli = append(v.Rotte.Livelli,
			VotoRotta{score.LevelNames[i], int(l.N), share(l.Fell, l.N), share(l.Rose, l.N),
				share(float64(l.Change)/1e4, l.N)})
	}
	for i, h := range r.Intervals {
		v.Rotte.Intervalli = append(v.Rotte.Intervalli,
			VotoIntervallo{score.SureNames[i], int(h.N), share(h.Covered, h.N)})
	}
	return v
}

func missedOf(m [score.Reasons]int64) NonConfrontabili {
	return NonConfrontabili{int(m[score.Gone]), int(m[score.Unseen]), int(m[score.Stale]), int(m[score.RuleChanged]),
		int(m[score.Currency])}
}
