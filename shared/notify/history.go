package notify

import (
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/varint"
)

// entry is what one refresh saw of a route.
type entry struct {
	Day   fare.Day
	Price fare.Cents
	Level string // as in verdict
}

// history is what refreshes saw of a route, oldest first, one entry for each day.
type history []entry

// maxHistory is how many refreshes are remembered: more than a year of weekly ones.
const maxHistory = 64

// add puts what a refresh saw at the end. A second refresh of a day stands in
// for the first; one of an earlier day than the last changes nothing.
func (h history) add(e entry) history {
	if n := len(h); n > 0 && h[n-1].Day >= e.Day {
		if h[n-1].Day > e.Day {
			return h
		}
		h = h[:n-1]
	}
	h = append(slices.Clip(h), e)
	return h[max(0, len(h)-maxHistory):]
}

// encode packs a history; maxHistory refreshes fit in half a kilobyte.
func (h history) encode() []byte {
	w := varint.NewWriter(format, 0)
	w.Int(int64(len(h)))
	day := fare.Day(0)
	for _, e := range h {
		w.Int(int64(e.Day-day), int64(e.Price), int64(slices.Index(levels, e.Level)))
		day = e.Day
	}
	return w
}

// decodeHistory unpacks what encode packed. Nothing at all is an empty history.
func decodeHistory(data []byte) (history, error) {
	if len(data) == 0 {
		return nil, nil
	}
	r := varint.NewReader(data, format)
	var h history
	day := fare.Day(0)
	for range r.Count(r.Int()) {
		day += fare.Day(r.Int())
		h = append(h, entry{day, fare.Cents(r.Int()), oneOf(&r, "level", levels)})
	}
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("decode a history of refreshes: %w", err)
	}
	return h, nil
}
