package refresh

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// Replay holds series in memory while many days are refreshed, in order. Until Save, nobody else may read the store.
type Replay struct {
	// Before the day that Last returns, the deals of a series are incomplete.
	Last func(series fare.Series) fare.Day

	mu            sync.Mutex
	all           map[fare.Series]*replayed
	contributions map[fare.Day]map[fare.Series]store.Contribution
	sums          map[fare.Day]*score.Contribution
}

type replayed struct {
	history      history
	summary      store.Stored[verdict.RouteSummary]
	any, nonStop learner
	rounds       score.Rounds
	changed      bool
}

type learner struct {
	state     store.Stored[*departure.State]
	questions []byte
}

func packLearner(l *departure.Learner, state store.Stored[*departure.State]) learner {
	if l == nil || l.AsOf == 0 {
		return learner{}
	}
	return learner{state.Compact(), bytes.Clone(l.Questions.Encode())}
}

func (l learner) unpack() (*departure.Learner, error) {
	questions, err := departure.DecodeQuestions(l.questions)
	if err != nil {
		return nil, err
	}
	return learnerOf(l.state, questions)
}

func (s *replayed) setState(state seriesState, packed store.Departures) {
	s.any, s.rounds = packLearner(state.any, packed.Any), state.rounds
	s.nonStop = packLearner(state.nonStop, packed.NonStop)
}

func (s *replayed) state() (state seriesState, err error) {
	state.any, state.rounds = &departure.Learner{}, s.rounds
	if s.any.state.Exists() {
		state.any, err = s.any.unpack()
	}
	if err == nil && s.nonStop.state.Exists() {
		state.nonStop, err = s.nonStop.unpack()
	}
	return state, err
}

func (p *Replay) isLast(series fare.Series, today fare.Day) bool {
	return p == nil || today >= p.Last(series)
}

func (p *Replay) series(ctx context.Context, r *Refresher, series fare.Series) (*replayed, error) {
	p.mu.Lock()
	s := p.all[series]
	p.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s = new(replayed)
	stored := Refresher{Fares: r.Fares, Now: r.Now}
	summary, err := stored.summary(ctx, series, store.Strong)
	if err == nil {
		s.history, err = stored.readHistory(ctx, series, store.Strong)
	}
	var state seriesState
	if err == nil {
		state, err = stored.readState(ctx, series)
	}
	if err != nil {
		return s, err
	}
	s.summary = store.Summaries.Pack(summary.RouteSummary).Compact()
	s.setState(state, state.stored)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[fare.Series]*replayed{}
	}
	p.all[series] = s
	return s, nil
}

func (p *Replay) putSummary(ctx context.Context, r *Refresher, series fare.Series, summary verdict.RouteSummary) error {
	s, err := p.series(ctx, r, series)
	s.summary, s.changed = store.Summaries.Pack(summary).Compact(), true
	return err
}

func (p *Replay) putState(ctx context.Context, r *Refresher, series fare.Series, state seriesState,
	packed store.Departures, added *score.Contribution) error {
	s, err := p.series(ctx, r, series)
	if err != nil {
		return err
	}
	s.setState(state, packed)
	if s.changed = true; added == nil {
		return nil
	}
	day := state.any.AsOf
	contribution := contributionOf(day, added)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.contributions == nil {
		p.contributions = map[fare.Day]map[fare.Series]store.Contribution{}
	}
	if p.contributions[day] == nil {
		p.contributions[day] = map[fare.Series]store.Contribution{}
		maps.DeleteFunc(p.contributions, func(old fare.Day, _ map[fare.Series]store.Contribution) bool {
			return old <= day-contributionDays
		})
	}
	p.contributions[day][series] = contribution
	if p.sums[day] == nil {
		p.sums = map[fare.Day]*score.Contribution{day: new(score.Contribution)}
	}
	p.sums[day].Add(added)
	return nil
}

// If Save is interrupted, the store may be unusable.
func (p *Replay) Save(ctx context.Context, r Refresher) error {
	r.Replay = nil
	for series, s := range p.all {
		if !s.changed {
			continue
		}
		if err := s.save(ctx, &r, series); err != nil {
			return err
		}
		s.changed = false
	}
	for _, contributions := range p.contributions {
		if err := r.Fares.PutContributions(ctx, contributions); err != nil {
			return err
		}
	}
	p.contributions = nil
	return nil
}

func (s *replayed) save(ctx context.Context, r *Refresher, series fare.Series) error {
	h, err := r.readHistory(ctx, series, store.Strong)
	if err != nil {
		return err
	}
	h.cycles = s.history.cycles
	if err := r.putHistory(ctx, series, h, slices.Sorted(maps.Keys(h.cycles))); err != nil {
		return err
	}
	was, err := r.Fares.Departures(ctx, series)
	if err != nil {
		return err
	}
	state, err := s.state()
	if err == nil && s.any.state.Exists() {
		now := store.Departures{Any: s.any.state, NonStop: s.nonStop.state, Learning: state.learning()}
		err = r.Fares.PutDepartures(ctx, series, was, now, store.Contribution{})
	}
	if err != nil {
		return err
	}
	stored, err := r.Fares.StoredSummary(ctx, series, store.Strong)
	if err == nil {
		_, err = r.Fares.PutSummary(ctx, series, stored, s.summary)
	}
	return err
}
