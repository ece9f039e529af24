package departures

import "sync"

// progress counts the parts of a replay that are done: days, or routes of alerts on routes. The
// panels of one replay, with recorded and with invented prices, share one progress.
type progress struct {
	mu          sync.Mutex
	done, total int
	show        func(done, total int, at string)
}

// showing returns the panel with the progress of a replay of n parts.
func (t *Trips) showing(show func(done, total int, at string), n int) *Trips {
	if show == nil {
		return t
	}
	with := *t
	with.progress = &progress{show: show, total: n}
	return &with
}

// passed reports that the replay has done a part. Calls may overlap.
func (t *Trips) passed(at string) {
	p := t.progress
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.show(p.done, p.total, at)
}
