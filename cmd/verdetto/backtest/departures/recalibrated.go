package departures

import (
	"slices"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// recalibrated returns the rule's chances of a fall after calibration, as the service publishes
// them. For each route and week, the outcomes (did the fare fall?) of up to score.PerRound
// departures are counted as soon as they are known. The calibration curve of a day comes from the
// outcomes counted earlier.
func (t *Trips) recalibrated(h int, chance []float64, became []outcome) []float64 {
	begin := t.days()
	var counts score.HorizonCounts
	var curve departure.Curve
	all := make([]float64, len(chance))
	due := 0
	last := map[int32]fare.Cycle{} // by route: the newest week with counts
	var counted []int
	taken := make([][]int, len(begin)-1)
	for day := range len(begin) - 1 {
		today := t.rows[begin[day]].day
		for ; due < day && t.rows[begin[due]].day+fallSpans[h].Days() < today; due++ {
			for _, i := range taken[due] {
				counts.Own[min(score.Steps-1, int(chance[i]*score.Steps))].Add(int64(200*chance[i]),
					int64(stats.Share(became[i].fell[h])))
			}
			if len(taken[due]) > 0 {
				curve = counts.Curve()
			}
		}
		t.eachRoute(begin[day], begin[day+1], func(route int32, from, to int) {
			counted = counted[:0]
			for i := from; i < to; i++ {
				all[i] = curve.Apply(chance[i])
				if became[i].known[h] {
					counted = append(counted, i)
				}
			}
			if week, had := last[route]; !had || week < fare.CycleOf(today) {
				last[route] = fare.CycleOf(today)
				slices.SortFunc(counted, func(a, b int) int { return int(mixed(today, a)) - int(mixed(today, b)) })
				taken[day] = append(taken[day], counted[:min(len(counted), score.PerRound)]...)
			}
		})
	}
	return all
}

// mixed returns a pseudo-random number for a row (a fare on one day), always the same for the same
// row.
func mixed(day fare.Day, row int) uint32 {
	x := uint64(day)<<32 ^ uint64(row)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return uint32(x>>33) & (1<<31 - 1)
}
