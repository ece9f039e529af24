package scorecard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdetto/functions/analisi/analisitest"
	"verdetto/functions/analisi/scorecard"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/page"
)

var today = time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC)

func serve(kept scorecard.Score) *httpapi.API {
	now := func() time.Time { return today }
	api := httpapi.New(httpapi.Config{Now: now, Log: slog.New(slog.DiscardHandler), AllFares: true,
		Limiter: limit.New(analisitest.Unlimited{}, now)})
	(&scorecard.Service{Score: kept, Now: now}).Register(api)
	return api
}

func get(h http.Handler, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
	return w
}

type scored struct {
	sum       *score.Sum
	weeks     map[fare.Day]*score.Sum
	unstarted bool
}

func (s scored) ScoreSum(context.Context, store.Consistency) (*score.Sum, error) {
	if s.sum == nil {
		return nil, fmt.Errorf("read: %w", store.ErrUnavailable)
	}
	return s.sum, nil
}

func (s scored) ScoreWeeks(_ context.Context, from fare.Day, _ store.Consistency) (map[fare.Day]*score.Sum, error) {
	weeks := maps.Clone(s.weeks)
	maps.DeleteFunc(weeks, func(monday fare.Day, _ *score.Sum) bool { return monday < from })
	return weeks, nil
}

func (s scored) Pooled(context.Context) (departure.Cycle, error) {
	if s.unstarted {
		return departure.Cycle{}, store.ErrNotFound
	}
	first := fare.DayOf(today) - 1
	return departure.Cycle{Day: first - 1, Pooled: departure.Start(first), Warmed: first}, nil
}

func someScore() scored {
	monday := fare.CycleOf(fare.DayOf(today)).First()
	sum, s := new(score.Sum), scored{weeks: map[fare.Day]*score.Sum{}}
	for _, m := range []fare.Day{monday - 14, monday - 7, monday - 7*score.MaxWeeks} {
		c := &score.Counts{Rounds: 3}
		h := &c.Horizons[0]
		h.Bands[2] = score.Wait{N: 100, Stated: 1000, Fell: 12, Rose: 20, Dearer: 30, Change: 40_000}
		h.Levels[0][1], h.Levels[3][1] = score.Cell{N: 40, Fell: 2, Rose: 10, Shuffled: 300},
			score.Cell{N: 60, Fell: 10, Rose: 10, Shuffled: 4800}
		h.Missed[score.Unseen] = 25
		week := new(score.Sum)
		week.Add(m+2, "csv", c)
		sum.Add(m+2, "csv", c)
		s.weeks[m] = week
	}
	s.sum = sum
	return s
}

func TestScoreIsPublished(t *testing.T) {
	h := serve(someScore())
	w := get(h, "/api/v1/pagella")
	var p scorecard.Pagella
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != http.StatusOK ||
		!strings.Contains(w.Header().Get("Cache-Control"), "s-maxage=3600") {
		t.Fatalf("%d %v %v", w.Code, w.Header(), err)
	}
	d := p.Somma.Partenze[0]
	if p.Fonte != "csv" || p.Settimane != 2 || len(p.PerSettimana) != 2 ||
		p.PerSettimana[0].Lunedi <= p.PerSettimana[1].Lunedi || p.FuoriBanda != 0 || !*p.PerSettimana[0].InBanda {
		t.Errorf("%+v", p)
	}
	if d.Dichiarate != 375 || d.Confrontate != 300 || d.NonConfrontabili.NonRivista != 75 || d.Detto != .1 ||
		d.Calate != .12 || d.Errore != .02 || d.Fasce[0].Variazione != .04 {
		t.Errorf("%+v", d)
	}
	if l := d.Livelli[3]; l.Calate != .1667 || l.Passeggiata != .16 || l.Mescolate != .8 {
		t.Errorf("%+v", l)
	}
	csv := get(h, "/v1/pagella?formato=csv")
	for _, row := range []string{"settimana,giorni,tabella,riga,misura,valore\n", "\n,7,partenze,,calate,0.12\n",
		"\n,7,livelli,caro,passeggiata,0.16\n", "\n" + p.PerSettimana[0].Lunedi + ",7,fasce,0.1-0.15,casi,100\n"} {
		if !strings.Contains(csv.Body.String(), row) {
			t.Errorf("the CSV lacks %q", row)
		}
	}
	if again := w.Header().Get("ETag"); again == "" || again == csv.Header().Get("ETag") ||
		csv.Header().Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("%q %v", again, csv.Header())
	}
	for lang, words := range map[string][]string{"it": {"La nostra pagella", "12,0%"},
		"en": {"Our report card", "12.0%"}} {
		w := get(h, "/pagella?lang="+lang)
		if w.Code != http.StatusOK || w.Header().Get("Content-Security-Policy") != page.Policy() ||
			strings.Contains(w.Body.String(), "<script") || strings.Contains(w.Body.String(), "style=") {
			t.Errorf("%s: %d %v", lang, w.Code, w.Header())
		}
		for _, s := range append(words, "<svg", p.Metodo[:0]) {
			if !strings.Contains(w.Body.String(), s) {
				t.Errorf("%s: no %q", lang, s)
			}
		}
	}
}

func TestScoreOfNothing(t *testing.T) {
	for name, c := range map[string]struct {
		score  scorecard.Score
		status int
		begins string
	}{"none kept": {nil, 200, ""}, "down": {scored{}, 503, ""},
		"a day old": {scored{sum: new(score.Sum)}, 200,
			"The first results can appear on Tuesday 8 March 2016 at the earliest."},
		"just opened": {scored{sum: new(score.Sum), unstarted: true}, 200,
			"appear on Wednesday 9 March 2016 at the earliest."}} {
		t.Run(name, func(t *testing.T) {
			h := serve(c.score)
			for _, path := range []string{"/v1/pagella", "/v1/pagella?formato=csv", "/pagella"} {
				if w := get(h, path); w.Code != c.status {
					t.Errorf("%s: %d %s", path, w.Code, w.Body)
				}
			}
			if body := get(h, "/pagella?lang=en").Body.String(); c.status == 200 && (!strings.Contains(body, c.begins) ||
				strings.Contains(body, "The first results") != (c.begins != "")) {
				t.Errorf("want %q in %s", c.begins, body)
			}
		})
	}
}
