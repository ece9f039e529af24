package score

import (
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// settle marks in r which answers are counted, so r and c must be stored together.
func (r *Round) settle(s Source, c *Counts) {
	why, comparable := Reasons, true
	switch {
	case r.Rule != Rule:
		why, comparable = RuleChanged, false
	case r.Currency != s.State.Currency:
		why, comparable = Currency, false
	}
	for h, horizon := range departure.Horizons() {
		if r.Settled != Settled(h) || s.Day <= r.Day+horizon.Days() {
			continue
		}
		if h == 0 {
			c.Rounds++
			r.settleRoute(s, why, comparable, c)
			r.Route = nil
		}
		for _, answer := range r.Departs {
			counts := &c.Horizons[h]
			if h == 0 && comparable && answer.Age < StaleDays {
				c.Places[answer.Sure][placeOf(answer.Percentile)]++
				c.Leads[LeadSpan(int(answer.Depart-r.Day))][placeOf(answer.Percentile)]++
			}
			switch {
			case !comparable:
				counts.Missed[why]++
			case answer.Depart <= r.Day+horizon.Days():
				counts.Missed[Gone]++
			case answer.Age >= StaleDays:
				counts.Missed[Stale]++
			default:
				if came, ok := follow(s.Quotes, answer, r.Day, horizon.Days()); ok {
					counts.count(h, answer, int(answer.Depart-r.Day), came)
				} else {
					counts.Missed[Unseen]++
				}
			}
		}
		r.Settled++
	}
	if r.Settled == FortnightSettled {
		r.Departs = nil
	}
}

type outcome struct {
	fell, rose bool
	days       int64
	last       fare.Cents
}

// follow needs quotes in order of day found. It returns false if the departure was not seen again
// in time.
func follow(quotes []departure.Live, answer DepartureAnswer, from, days fare.Day) (c outcome, ok bool) {
	first, _ := slices.BinarySearchFunc(quotes, from+1, func(q departure.Live, day fare.Day) int {
		return int(q.FoundDay() - day)
	})
	end := (from + days + 1).Time().Unix()
	for _, q := range quotes[first:] {
		if q.Found >= end {
			break
		}
		if q.Depart != answer.Depart {
			continue
		}
		c.fell = c.fell || departure.Fell(answer.Price, q.Price)
		c.rose = c.rose || departure.Rose(answer.Price, q.Price)
		c.days++
		c.last = q.Price
	}
	return c, c.days > 0
}

// changed returns the relative change of a price in units of 0.01 %, at most +1,000 %.
func changed(from, to fare.Cents) int64 {
	return int64(math.Round(1e4 * min(10, float64(to)/float64(from)-1)))
}

func (h *HorizonCounts) count(horizon int, answer DepartureAnswer, lead int, c outcome) {
	fell, up, dearer := int64(packed.Bit(c.fell)), int64(packed.Bit(c.rose)), int64(packed.Bit(c.last > answer.Price))
	step := &h.Own[answer.Own[horizon]/(ownUnit/Steps)]
	step.Add(int64(answer.Own[horizon]), fell)
	level := departure.LevelOf(float64(answer.Percentile) / 100).Place()
	if answer.Fair {
		level = departure.Fair.Place()
	}
	cell := &h.Levels[level][LeadSpan(lead)]
	cell.N++
	cell.Fell += fell
	cell.Rose += up
	cell.Shuffled += int64(math.Round(100 * (1 - math.Pow(1-float64(answer.Cheaper)/100, float64(c.days)))))
	if answer.Rival != NoRival {
		h.Both[level].add(fell)
		h.Rival[departure.LevelOf(float64(answer.Rival)/100).Place()].add(fell)
	}
	if answer.Stated[horizon] == NotStated {
		return
	}
	stated := int64(answer.Stated[horizon])
	w := &h.Bands[stated/5]
	w.N++
	w.Stated += stated
	w.Fell += fell
	w.Rose += up
	w.Dearer += dearer
	w.Change += changed(answer.Price, c.last)
	h.Ages[min(1, answer.Age)].Add(stated, fell)
	h.Sures[answer.Sure].Add(stated, fell)
}

func (c *Case) Add(stated, fell int64) {
	c.N++
	c.Stated += stated
	c.Fell += fell
}

func (p *Pair) add(fell int64) {
	p.N++
	p.Fell += fell
}

func placeOf(percentile uint8) int { return min(Places-1, int(percentile)/(100/Places)) }

func (r *Round) settleRoute(s Source, why Reason, comparable bool, c *Counts) {
	if r.Route == nil {
		return
	}
	counts, answer := &c.Route, r.Route
	if comparable && answer.Age >= StaleDays {
		why, comparable = Stale, false
	}
	if !comparable {
		counts.Missed[why]++
		return
	}
	var last verdict.Low
	for _, low := range s.Summary.Lows {
		if low.Day > max(r.Day, last.Day) && low.Day <= r.Day+departure.Week.Days() {
			last = low
		}
	}
	if last.Day == 0 {
		counts.Missed[Unseen]++
		return
	}
	cell := &counts.Levels[answer.Level]
	cell.N++
	cell.Fell += int64(packed.Bit(departure.Fell(answer.Price, last.Price)))
	cell.Rose += int64(packed.Bit(departure.Rose(answer.Price, last.Price)))
	cell.Change += changed(answer.Price, last.Price)
}
