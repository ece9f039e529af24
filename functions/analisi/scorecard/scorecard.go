// Package scorecard publishes the service's own score: how its verdicts about departures and routes
// compare with what happened afterwards. GET /v1/pagella returns the score as JSON or CSV, and
// /pagella as a page. Package score counts the outcomes; this package turns the counts into shares.
// Start reading at Publish.
package scorecard

import (
	"context"
	_ "embed"
	"errors"
	"math"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
	"verdetto/shared/web/httpapi"
)

type Service struct {
	Score Score
	Now   func() time.Time
}

type Score interface {
	ScoreSum(ctx context.Context, read store.Consistency) (*score.Sum, error)
	ScoreWeeks(ctx context.Context, from fare.Day, read store.Consistency) (map[fare.Day]*score.Sum, error)
	Pooled(ctx context.Context) (departure.Cycle, error)
}

type Pagella struct {
	Fonte        string            `json:"fonte,omitempty" doc:"Name of the fare source. Absent before the first count" example:"travelpayouts"`
	Dal          string            `json:"dal,omitempty" format:"date" doc:"First counted day, UTC"`
	Al           string            `json:"al,omitempty" format:"date" doc:"Last counted day, UTC"`
	PrimoEsito   string            `json:"primoEsito,omitempty" format:"date" doc:"Earliest day of the first outcomes, UTC. Absent once dal is present, and where it is unknown"`
	Settimane    int               `json:"settimane" minimum:"0" doc:"Counted weeks of the last 53"`
	Regola       int               `json:"regola" doc:"Version of the rules. Statements of earlier rules are not compared"`
	FuoriBanda   int               `json:"fuoriBanda" minimum:"0" doc:"Number of weeks in a row, up to now, outside the expected band. From 3 on, the operator is notified"`
	Metodo       string            `json:"metodo" doc:"How it is counted"`
	Somma        Voto              `json:"somma" doc:"The sum of all counts"`
	Scarti       Scarti            `json:"scarti" doc:"How far percentiles are off: over all, by quarter and by days ahead"`
	PerSettimana []VotoDiSettimana `json:"perSettimana" nullable:"false" doc:"The counts by week, newest first, at most 53. No week is removed"`
}

type VotoDiSettimana struct {
	Lunedi  string `json:"lunedi" format:"date" doc:"Monday of the week"`
	InBanda *bool  `json:"inBanda,omitempty" doc:"Whether the falls match the stated chances (0.6 to 1.67 times) and are fewer after ottimo and buono than after normale and caro. Absent below 100 departures"`
	Voto
}

// Shares and chances in a Voto are fractions: 0.05 is 5 %.
type Voto struct {
	Rilevazioni int              `json:"rilevazioni" minimum:"0" doc:"Number of series and weeks with a statement"`
	Partenze    []VotoPartenze   `json:"partenze" nullable:"false" doc:"Statements about single departures, for 7 and for 14 days"`
	Percentili  []VotoPercentili `json:"percentili" nullable:"false" doc:"Percentiles of departures by affidabilita. Half should lie between 25 and 74, nine tenths between 5 and 94"`
	Rotte       VotoRotte        `json:"rotte" doc:"Statements about routes: the cheapest fare of any date"`
}

type NonConfrontabili struct {
	Partita     int `json:"partita" doc:"Not compared because the departure left before the end"`
	NonRivista  int `json:"nonRivista" doc:"Not compared because the fare was not seen again in time"`
	Vecchia     int `json:"vecchia" doc:"Not compared because the fare was at least 3 days old"`
	AltraRegola int `json:"altraRegola" doc:"Not compared because the rule has changed since"`
	AltraValuta int `json:"altraValuta" doc:"Not compared because the series changed its currency"`
}

type VotoPartenze struct {
	Giorni           int              `json:"giorni" enum:"7,14" doc:"Within this many days"`
	Dichiarate       int              `json:"dichiarate" doc:"Statements whose 7 or 14 days are over"`
	Confrontate      int              `json:"confrontate" doc:"Statements that were compared with later fares"`
	NonConfrontabili NonConfrontabili `json:"nonConfrontabili"`
	Calate           float64          `json:"calate" doc:"Share of confrontate seen at least 5 % cheaper, 0 to 1"`
	Detto            float64          `json:"detto" doc:"Mean stated chance of that, 0 to 1"`
	Errore           float64          `json:"errore" doc:"Expected calibration error: mean distance between stated chance and share, over bands of 5 points, weighted by cases"`
	ErroreRegola     float64          `json:"erroreRegola" doc:"Expected calibration error of the chances before calibration, over ten bands of 10 points"`
	Fasce            []Fascia         `json:"fasce" nullable:"false" doc:"By stated chance. Bands without cases are left out"`
	Livelli          []VotoLivello    `json:"livelli" nullable:"false" doc:"By level, with references"`
	Anticipi         []VotoAnticipo   `json:"anticipi" nullable:"false" doc:"By days ahead. Bands without cases are left out"`
	Eta              []VotoGruppo     `json:"eta" nullable:"false" doc:"By age of the fare in days: 0, or 1 to 2"`
	Affidabilita     []VotoGruppo     `json:"affidabilita" nullable:"false" doc:"By affidabilita"`
}

type Fascia struct {
	Da         float64 `json:"da" doc:"From this stated chance, inclusive"`
	A          float64 `json:"a" doc:"To this stated chance, exclusive. 1 includes all above"`
	Casi       int     `json:"casi"`
	Detto      float64 `json:"detto" doc:"Mean stated chance, 0 to 1. 0.4 means 0.4 or more"`
	Calate     float64 `json:"calate" doc:"Share seen at least 5 % cheaper, 0 to 1"`
	Salite     float64 `json:"salite" doc:"Share seen at least 5 % dearer, 0 to 1"`
	PiuCare    float64 `json:"piuCare" doc:"Share whose fare was dearer when last seen, 0 to 1"`
	Variazione float64 `json:"variazione" doc:"Mean relative change of the fare when last seen: -0.1 is 10 % cheaper"`
}

type VotoLivello struct {
	Livello      string  `json:"livello" enum:"ottimo,buono,normale,caro"`
	Casi         int     `json:"casi"`
	Calate       float64 `json:"calate" doc:"Share seen at least 5 % cheaper, 0 to 1"`
	Salite       float64 `json:"salite" doc:"Share seen at least 5 % dearer, 0 to 1"`
	Passeggiata  float64 `json:"passeggiata" doc:"Reference: the share on a random walk, which is half of all moves of 5 % or more, and the same for every level"`
	Mescolate    float64 `json:"mescolate" doc:"Reference: the share if each price were drawn anew from the comparable fares"`
	Comuni       int     `json:"comuni" doc:"Cases of the level that the rival also judges"`
	CalateComuni float64 `json:"calateComuni" doc:"Share of comuni seen at least 5 % cheaper, 0 to 1"`
	Rivale       int     `json:"rivale" doc:"The same cases, judged by the rival: the percentile among fares of similar lead time and season"`
	CalateRivale float64 `json:"calateRivale" doc:"Share of comuni seen at least 5 % cheaper, 0 to 1"`
}

type VotoAnticipo struct {
	DaGiorni int       `json:"daGiorni"`
	AGiorni  *int      `json:"aGiorni,omitempty" doc:"Absent for the last"`
	Casi     []int     `json:"casi" nullable:"false" doc:"ottimo, buono, normale, caro"`
	Calate   []float64 `json:"calate" nullable:"false" doc:"Share of each level seen at least 5 % cheaper, 0 to 1"`
}

type VotoGruppo struct {
	Gruppo string  `json:"gruppo"`
	Casi   int     `json:"casi"`
	Detto  float64 `json:"detto"`
	Calate float64 `json:"calate"`
}

type VotoPercentili struct {
	Affidabilita string  `json:"affidabilita" enum:"alta,media,bassa"`
	Casi         int     `json:"casi"`
	Meta         float64 `json:"meta" doc:"Share between 25 and 74. It should be 0.5"`
	NoveDecimi   float64 `json:"noveDecimi" doc:"Share between 5 and 94. It should be 0.9"`
}

type VotoRotte struct {
	Dichiarate       int              `json:"dichiarate"`
	Confrontate      int              `json:"confrontate"`
	NonConfrontabili NonConfrontabili `json:"nonConfrontabili"`
	Livelli          []VotoRotta      `json:"livelli" nullable:"false"`
}

type VotoRotta struct {
	Livello    string  `json:"livello" enum:"ottimo,buono,normale,caro"`
	Casi       int     `json:"casi"`
	Calate     float64 `json:"calate" doc:"Share whose cheapest fare was at least 5 % lower, 0 to 1"`
	Salite     float64 `json:"salite" doc:"Share whose cheapest fare was at least 5 % higher, 0 to 1"`
	Variazione float64 `json:"variazione" doc:"Mean relative change: -0.1 is 10 % lower"`
}

//go:embed method.txt
var method string

type pagellaInput struct {
	Formato     string `query:"formato" enum:"json,csv" doc:"json, or csv: one row per number, with columns settimana (empty for the sum), giorni, tabella, riga, misura, valore" default:"json"`
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of an answer that you already have"`
}

func (s *Service) Register(api *httpapi.API) {
	httpapi.JSON(api, "pagella", httpapi.JSONDoc{
		Summary: "How often the service was right",
		Description: "Returns the service's own score: its statements on departures and routes, compared " +
			"with later fares, by week and in sum. It includes stated chances beside shares, levels " +
			"beside references, and what could not be compared. As JSON or CSV; as a page at /pagella.",
		Answer: Pagella{}, Text: "text/csv",
	}, nil, func(ctx context.Context, in *pagellaInput) (*httpapi.Tagged, error) {
		p, err := s.pagella(ctx)
		if err == nil && in.Formato == "csv" {
			return httpapi.Tag(in.IfNoneMatch, "text/csv; charset=utf-8", p.CSV()), nil
		}
		return httpapi.TagJSON(ctx, in.IfNoneMatch, p, err)
	})
	httpapi.Page(api, "pagella-page", httpapi.PageDoc{Summary: "The score as a page", Statuses: []int{200}}, s.page)
}

func (s *Service) pagella(ctx context.Context) (Pagella, error) {
	sum, weeks := new(score.Sum), map[fare.Day]*score.Sum{}
	if s.Score != nil {
		var err error
		if sum, err = s.Score.ScoreSum(ctx, store.Eventual); err != nil {
			return Pagella{}, err
		}
		if weeks, err = s.Score.ScoreWeeks(ctx,
			fare.CycleOf(fare.DayOf(s.Now())).First()-7*(score.MaxWeeks-1), store.Eventual); err != nil {
			return Pagella{}, err
		}
	}
	p := Publish(sum, weeks)
	if p.Dal != "" || s.Score == nil {
		return p, nil
	}
	first, err := s.firstOutcomes(ctx)
	if err == nil && first > 0 {
		p.PrimoEsito = first.String()
	}
	return p, err
}

// firstOutcomes returns 0 if the day is unknown. Before the first refresh has ended, firstOutcomes
// counts from today.
func (s *Service) firstOutcomes(ctx context.Context) (fare.Day, error) {
	const after = 8 // days: a horizon of 7, and the next refresh
	today := fare.DayOf(s.Now())
	cycle, err := s.Score.Pooled(ctx)
	if errors.Is(err, store.ErrNotFound) {
		return today + after, nil
	}
	if err != nil || cycle.Warmed == 0 {
		return 0, err
	}
	return max(cycle.Warmed+after, today+1), nil
}

// The keys of the parameter weeks are the Mondays of the weeks.
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

func share[T int64 | float64](x T, n int64) float64 {
	if n == 0 {
		return 0
	}
	return math.Round(1e4*float64(x)/float64(n)) / 1e4
}

func votoOf(c *score.Counts) Voto {
	v := Voto{Rilevazioni: int(c.Rounds), Percentili: []VotoPercentili{}}
	for h, horizon := range departure.Horizons() {
		v.Partenze = append(v.Partenze, partenzeOf(int(horizon.Days()), &c.Horizons[h]))
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
		v.Percentili = append(v.Percentili, VotoPercentili{string(name), int(n), share(half, n), share(most, n)})
	}
	r := &c.Route
	v.Rotte = VotoRotte{Dichiarate: int(r.Stated()), Confrontate: int(r.Compared()),
		NonConfrontabili: missedOf(r.Missed)}
	for i, l := range r.Levels {
		v.Rotte.Livelli = append(v.Rotte.Livelli,
			VotoRotta{string(score.LevelNames[i]), int(l.N), share(l.Fell, l.N), share(l.Rose, l.N),
				share(float64(l.Change)/1e4, l.N)})
	}
	return v
}

func missedOf(m [score.Reasons]int64) NonConfrontabili {
	return NonConfrontabili{int(m[score.Gone]), int(m[score.Unseen]), int(m[score.Stale]), int(m[score.RuleChanged]),
		int(m[score.Currency])}
}
