// Package setup is the first run of the service on one machine. It takes the token of the fare
// source and the cities to cover, writes the settings file, and follows the first refresh.
//
// Setup has two front ends: Page in a browser, and Setup.Ask in a terminal. Before the settings file
// exists nothing is stored, so an interrupted set-up starts again. Start reading at Setup.
package setup

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/settings"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
)

type Step string

const (
	Token   Step = "token"
	Cities  Step = "cities"
	Refresh Step = "refresh"
	Done    Step = "done"
)

const (
	// MostCities limits the set-up, not the settings file.
	MostCities = 100
	mostToken  = 200
	checkTime  = 15 * time.Second
)

// Setup is safe for concurrent use.
type Setup struct {
	File  string
	Store string
	Check func(ctx context.Context, token string) error
	Now   func() time.Time

	mu       sync.Mutex
	step     Step
	token    string
	cities   []fare.City
	invented bool
	chosen   chan struct{}
	progress Progress
}

func New(file, store string, check func(ctx context.Context, token string) error) *Setup {
	return &Setup{File: file, Store: store, Check: check, Now: time.Now, step: Token, chosen: make(chan struct{})}
}

type State struct {
	Step     Step
	Cities   []fare.City
	Invented bool
	Progress Progress
}

func (s *Setup) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return State{s.step, slices.Clone(s.cities), s.invented, s.progress}
}

// Chosen returns a channel that is closed after the operator's last choice. Then the settings file exists, or
// State.Invented is true.
func (s *Setup) Chosen() <-chan struct{} { return s.chosen }

type Fault struct {
	id   string
	fill []any
}

func (f *Fault) Text(l *i18n.Language) string {
	fill := slices.Clone(f.fill)
	for i, value := range fill {
		if cities, ok := value.([]fare.City); ok {
			fill[i] = strings.Join(Names(cities, l), ", ")
		}
	}
	return l.Text("setup.fault."+f.id, fill...)
}

func Names(cities []fare.City, l *i18n.Language) (names []string) {
	for _, c := range cities {
		names = append(names, places.Name(c, l.Code))
	}
	return names
}

func (s *Setup) SetToken(ctx context.Context, token string) *Fault {
	token = strings.TrimSpace(token)
	switch {
	case token == "":
		return &Fault{id: "token_empty"}
	case len(token) > mostToken:
		return &Fault{id: "token_long"}
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return &Fault{id: "token_form"}
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if err := s.Check(ctx, token); err != nil {
		return sourceFault(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.step == Token {
		s.token, s.step = token, Cities
	}
	return nil
}

func sourceFault(err error) *Fault {
	var unreachable *url.Error
	switch {
	case errors.Is(err, upstream.ErrRefused):
		return &Fault{id: "token_refused"}
	case errors.Is(err, travelpayouts.ErrLimited), errors.Is(err, upstream.ErrBudget):
		return &Fault{id: "limited"}
	case errors.As(err, &unreachable):
		return &Fault{id: "network"}
	case isFull(err):
		return &Fault{id: "disk"}
	}
	return &Fault{id: "source"}
}

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

func (s *Setup) AddCities(text string) (rest string, fault *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := separate(text)
	for i, name := range names {
		if fault := s.add(strings.TrimSpace(name)); fault != nil {
			return strings.TrimSpace(strings.Join(names[i:], ",")), fault
		}
	}
	return "", nil
}

func separate(names string) []string {
	return strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ';' || r == '\n' })
}

func (s *Setup) add(name string) *Fault {
	if name == "" || s.step != Cities {
		return nil
	}
	place, ok := places.Find(name)
	switch {
	case !ok:
		return unknown(name)
	case slices.Contains(s.cities, place.City):
		return &Fault{"city_twice", []any{"Name", []fare.City{place.City}}}
	case len(s.cities) == MostCities:
		return &Fault{"city_many", []any{"Most", MostCities}}
	}
	s.cities = append(s.cities, place.City)
	return nil
}

func unknown(name string) *Fault {
	short := []rune(name)
	name = string(short[:min(len(short), 40)])
	if near := similar(name); len(near) > 0 {
		return &Fault{"city_near", []any{"Name", name, "Near", near}}
	}
	return &Fault{"city_unknown", []any{"Name", name}}
}

func similar(name string) (cities []fare.City) {
	for _, near := range places.Suggest(name, 3) {
		if p, ok := places.Find(near); ok && !slices.Contains(cities, p.City) {
			cities = append(cities, p.City)
		}
	}
	return cities
}

func (s *Setup) Remove(city fare.City) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.cities, city)
	if s.step != Cities || i < 0 {
		return false
	}
	s.cities = slices.Delete(s.cities, i, i+1)
	return true
}

func (s *Setup) Start() *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.step != Cities {
		return nil
	}
	if len(s.cities) == 0 {
		return &Fault{id: "city_none"}
	}
	err := settings.Write(s.File, map[string]any{"VERDETTO_STORE": s.Store, "VERDETTO_UPSTREAM": "travelpayouts",
		"VERDETTO_ORIGINS": s.cities, "TRAVELPAYOUTS_TOKEN": s.token})
	switch {
	case isFull(err):
		return &Fault{id: "disk"}
	case errors.Is(err, fs.ErrExist):
		return &Fault{"exists", []any{"File", s.File}}
	case err != nil:
		return &Fault{"unwritable", []any{"File", s.File}}
	}
	s.choose()
	return nil
}

func (s *Setup) Invent() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.step == Token {
		s.invented = true
		s.choose()
	}
}

func (s *Setup) choose() {
	s.token, s.step = "", Refresh
	s.progress.began = s.Now()
	close(s.chosen)
}

func (s *Setup) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.choose()
}

type Progress struct {
	Cities, Done  int
	Routes, Fares int
	Minutes       int // estimated time left; 0 means none, or not known
	Fault         *Fault
	First         *onemachine.Departure

	began time.Time
}

func (s *Setup) Refreshed(done, total int, o refresh.Outcome) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := &s.progress
	p.Done, p.Cities = done, total
	p.Routes += o.Routes.Seen
	p.Fares += o.New
	spent := s.Now().Sub(p.began)
	p.Minutes = int((spent*time.Duration(total-done)/time.Duration(done) + time.Minute - 1) / time.Minute)
	p.Fault = nil
	if o.Err != nil {
		p.Fault = sourceFault(o.Err)
	}
}

func (s *Setup) Ended(first *onemachine.Departure) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step, s.progress.First = Done, first
}

func (s *Setup) Failed(err error) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if isFull(err) || s.progress.Fault == nil {
		s.progress.Fault = sourceFault(err)
	}
}

func (p Progress) Text(l *i18n.Language) string {
	text := p.Found(l)
	if p.Done < p.Cities && p.Minutes > 0 {
		text += l.Text("format.comma") + l.Count("setup.left", p.Minutes)
	}
	return text
}

func (p Progress) Found(l *i18n.Language) string {
	return l.Text("setup.progress", "Routes", l.Number(p.Routes), "Fares", l.Number(p.Fares))
}
