// Package watch decides which subscriptions a refresh wakes, and holds the news
// that their mails tell, with a picture of it. It is pure.
//
// The rule in one paragraph. A refresh sees one price and one level of each
// route. An alert with a threshold is met where the price is at or under it; one
// without is met where the level is ottimo or buono. An alert wakes when what
// the last refresh saw meets it, and either nobody was told before, or a refresh
// since then (the one that was told of included, for thresholds change) saw
// what does not meet it: a fare that stays cheap is told of once. Too little
// data wakes nobody. It says nothing about the level, so it does not end a
// time of good levels either; its price counts for thresholds.
package watch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// Seen is what one refresh saw of a route.
type Seen struct {
	Day   fare.Day
	Price fare.Cents
	Level string // as in verdict
}

// History is what refreshes saw of a route, oldest first, one for each day.
type History []Seen

// MaxHistory is how many refreshes are remembered: more than a year of weekly ones.
const MaxHistory = 64

// Add puts what a refresh saw at the end. A second refresh of a day stands in
// for the first; one of an earlier day than the last changes nothing.
func (h History) Add(s Seen) History {
	if n := len(h); n > 0 && h[n-1].Day >= s.Day {
		if h[n-1].Day > s.Day {
			return h
		}
		h = h[:n-1]
	}
	h = append(slices.Clip(h), s)
	return h[max(0, len(h)-MaxHistory):]
}

// Wakes tells whether the last refresh wakes an alert that was last told of on
// a day; 0 is never, and a threshold of 0 stands for the verdict.
func Wakes(threshold fare.Cents, mailed fare.Day, h History) bool {
	if len(h) == 0 {
		return false
	}
	last := h[len(h)-1]
	if last.Level == verdict.Insufficient || !meets(last, threshold) {
		return false
	}
	if mailed == 0 {
		return true
	}
	for _, s := range h[:len(h)-1] {
		unknown := threshold == 0 && s.Level == verdict.Insufficient
		if s.Day >= mailed && !unknown && !meets(s, threshold) {
			return true
		}
	}
	return false
}

func meets(s Seen, threshold fare.Cents) bool {
	if threshold > 0 {
		return s.Price <= threshold
	}
	return s.Level == verdict.Ottimo || s.Level == verdict.Buono
}

// levels are numbered by their place here: new ones go to the end.
var levels = []string{verdict.Insufficient, verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro}

// format is the first byte of what is encoded here.
const format = 1

// Encode packs a history; MaxHistory refreshes fit in half a kilobyte.
func (h History) Encode() []byte {
	w := writer{format}
	w.put(int64(len(h)))
	day := fare.Day(0)
	for _, s := range h {
		w.put(int64(s.Day-day), int64(s.Price), int64(slices.Index(levels, s.Level)))
		day = s.Day
	}
	return w
}

// DecodeHistory unpacks what Encode packed. Nothing at all is an empty history.
func DecodeHistory(data []byte) (History, error) {
	if len(data) == 0 {
		return nil, nil
	}
	r := newReader(data)
	var h History
	day := fare.Day(0)
	for range r.count() {
		day += fare.Day(r.int())
		h = append(h, Seen{day, fare.Cents(r.int()), r.level()})
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("decode what refreshes saw: %w", err)
	}
	return h, nil
}

type writer []byte

func (w *writer) put(values ...int64) {
	for _, v := range values {
		*w = binary.AppendVarint(*w, v)
	}
}

// reader takes varints off the front and remembers the first fault.
type reader struct {
	data []byte
	err  error
}

var errCut = errors.New("cut short")

func newReader(data []byte) *reader {
	if len(data) == 0 {
		return &reader{err: errCut}
	}
	if data[0] != format {
		return &reader{err: fmt.Errorf("format %d is not known", data[0])}
	}
	return &reader{data: data[1:]}
}

func (r *reader) fail(err error) {
	if r.data = nil; r.err == nil {
		r.err = err
	}
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.data)
	if n <= 0 {
		r.fail(errCut)
		return 0
	}
	r.data = r.data[n:]
	return v
}

// count reads a length and refuses one that the rest cannot hold.
func (r *reader) count() int64 {
	n := r.int()
	if n < 0 || n > int64(len(r.data)) {
		r.fail(errCut)
		return 0
	}
	return n
}

func (r *reader) level() string {
	at := r.int()
	if at < 0 || at >= int64(len(levels)) {
		r.fail(fmt.Errorf("level %d is not known", at))
		return ""
	}
	return levels[at]
}

func (r *reader) end() error {
	if r.err == nil && len(r.data) > 0 {
		r.err = fmt.Errorf("%d bytes too many", len(r.data))
	}
	return r.err
}
