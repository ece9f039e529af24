package refresh

import (
	"bytes"
	"maps"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/store"
)

// history holds a route's stored observations by cycle.
type history struct {
	blocks []store.StoredBlock
	cycles map[fare.Cycle][]fare.Observation
}

func unpack(blocks []store.StoredBlock) (history, error) {
	h := history{blocks, map[fare.Cycle][]fare.Observation{}}
	for _, b := range blocks {
		var err error
		if h.cycles[b.Cycle], err = fare.Unpack(h.cycles[b.Cycle], b.Data); err != nil {
			return history{}, err
		}
	}
	return h, nil
}

// merge adds observations to the history. It returns all observations in Compare order, and the
// blocks to write. The order of the blocks makes an interrupted write safe: where observations
// move from one part of a cycle into the next, the next part is written first.
func (h history) merge(found []fare.Observation) (all []fare.Observation, writes []store.StoredBlock, added int) {
	byCycle := map[fare.Cycle][]fare.Observation{}
	for _, o := range found {
		c := fare.CycleOf(o.FoundDay())
		byCycle[c] = append(byCycle[c], o)
	}
	for cycle, more := range byCycle {
		stored := slices.Clone(h.cycles[cycle])
		joined := fare.Set(slices.Concat(h.cycles[cycle], more))
		h.cycles[cycle] = joined
		if slices.Equal(joined, stored) {
			continue
		}
		added += max(0, len(joined)-len(stored))
		for _, b := range slices.Backward(fare.Blocks(joined)) {
			old := h.stored(b.Cycle, b.Part)
			if !bytes.Equal(old.Data, b.Data) {
				writes = append(writes, store.StoredBlock{Block: b, Version: old.Version})
			}
		}
	}
	for _, cycle := range slices.Sorted(maps.Keys(h.cycles)) {
		all = append(all, fare.Set(h.cycles[cycle])...) // removes the duplicates of a cut-off write
	}
	return all, writes, added
}

func (h history) stored(cycle fare.Cycle, part int) store.StoredBlock {
	for _, b := range h.blocks {
		if b.Cycle == cycle && b.Part == part {
			return b
		}
	}
	return store.StoredBlock{}
}
