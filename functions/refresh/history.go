package refresh

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/store"
)

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

func (r *Refresher) readHistory(ctx context.Context, series fare.Series, read store.Consistency) (history, error) {
	if r.Replay != nil {
		s, err := r.Replay.series(ctx, r, series)
		maps.DeleteFunc(s.history.cycles,
			func(c fare.Cycle, _ []fare.Observation) bool { return !r.Now().Before(expiry(c)) })
		return s.history, err
	}
	blocks, err := r.Fares.Blocks(ctx, series, read)
	if err != nil {
		return history{}, err
	}
	h, err := unpack(blocks)
	if err != nil {
		return history{}, fmt.Errorf("read history of %s: %w", series, err)
	}
	return h, nil
}

func (h history) add(found []fare.Observation) (changed []fare.Cycle, added int) {
	byCycle := map[fare.Cycle][]fare.Observation{}
	for _, o := range found {
		c := fare.CycleOf(o.FoundDay())
		byCycle[c] = append(byCycle[c], o)
	}
	for cycle, more := range byCycle {
		stored := h.cycles[cycle]
		joined := fare.Set(slices.Concat(stored, more))
		h.cycles[cycle] = joined
		if slices.Equal(joined, stored) {
			continue
		}
		changed, added = append(changed, cycle), added+max(0, len(joined)-len(stored))
	}
	return changed, added
}

// If fares move to a later block, putHistory writes that block first, so that an interrupted write loses no fare.
func (r *Refresher) putHistory(ctx context.Context, series fare.Series, h history, changed []fare.Cycle) error {
	if r.Replay != nil {
		return nil
	}
	var writes []store.StoredBlock
	for _, cycle := range changed {
		for _, b := range slices.Backward(fare.Blocks(h.cycles[cycle])) {
			old := h.stored(b.Cycle, b.Part)
			if !bytes.Equal(old.Data, b.Data) {
				writes = append(writes, store.StoredBlock{Block: b, Version: old.Version})
			}
		}
	}
	return r.Fares.PutBlocks(ctx, series, writes, expiry)
}

func (h history) all() []fare.Observation {
	count := 0
	for _, stored := range h.cycles {
		count += len(stored)
	}
	all := make([]fare.Observation, 0, count)
	for _, cycle := range slices.Sorted(maps.Keys(h.cycles)) {
		all = append(all, fare.Set(h.cycles[cycle])...) // an interrupted write may have left duplicates
	}
	return all
}

func (h history) stored(cycle fare.Cycle, part int) store.StoredBlock {
	for _, b := range h.blocks {
		if b.Cycle == cycle && b.Part == part {
			return b
		}
	}
	return store.StoredBlock{}
}
