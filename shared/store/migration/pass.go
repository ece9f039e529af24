package migration

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"verdetto/shared/store"
)

// pass is one comparison of source and target. It copies or deletes the items that differ.
type pass struct {
	*Mover
	ctx  context.Context
	stop context.CancelCauseFunc

	source map[id]state // states of the items that were read
	batch  batch
	write  chan batch

	mu     sync.Mutex // serialises the items of parallel scans
	report Report
	lease  *store.Lease
}

// batch holds the items of one call of Place.
type batch struct {
	items   []store.Item
	deleted []store.Key
	bytes   int
}

// run makes the target equal to the source, by one pass.
func (p *pass) run() error {
	target := map[id]state{}
	if err := p.scan(p.To, func(i store.Item) { target[idOf(i.Key)] = stateOf(i) }); err != nil {
		return fmt.Errorf("read the target: %w", err)
	}
	p.source = make(map[id]state, len(target))
	err := p.writing(func() error {
		return p.scan(p.From, func(i store.Item) {
			name, is := idOf(i.Key), stateOf(i)
			p.source[name] = is
			if target[name] != is {
				p.put(i)
			}
			delete(target, name)
			p.report.Items++
			if p.Progress != nil && p.report.Items%1000 == 0 {
				p.Progress(p.report.Items, p.report.Written)
			}
		})
	})
	if err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	if len(target) == 0 {
		return nil
	}
	// The items that remain in the variable target are not in the source. Only the digests of their
	// keys are known, so a second scan finds the keys.
	err = p.writing(func() error {
		return p.scan(p.To, func(i store.Item) {
			if _, left := target[idOf(i.Key)]; left {
				p.drop(i.Key)
			}
		})
	})
	if err != nil {
		return fmt.Errorf("delete what the source no longer has: %w", err)
	}
	return nil
}

// scan calls f for each item of a store, one at a time. It skips the items of the migration itself.
func (p *pass) scan(table store.Whole, f func(store.Item)) error {
	return table.Each(p.ctx, func(i store.Item) error {
		if (store.Migration{}).Own(i.Key) {
			return nil
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		f(i)
		return context.Cause(p.ctx)
	})
}

// writing runs scan while workers write the batches that scan collects. It waits for all writes.
func (p *pass) writing(scan func() error) error {
	p.write = make(chan batch)
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for b := range p.write {
				if err := p.place(b); err != nil {
					p.stop(err)
				}
			}
		})
	}
	err := scan()
	p.flush()
	close(p.write)
	all.Wait()
	if cause := context.Cause(p.ctx); cause != nil {
		return cause
	}
	return err
}

func (p *pass) put(i store.Item) {
	p.batch.items = append(p.batch.items, i)
	p.batch.bytes += len(i.Data)
	if len(p.batch.items) == mostItems || p.batch.bytes >= mostBytes {
		p.flush()
	}
}

func (p *pass) drop(k store.Key) {
	if p.batch.deleted = append(p.batch.deleted, k); len(p.batch.deleted) == mostItems {
		p.flush()
	}
}

// flush passes the collected batch to a worker.
func (p *pass) flush() {
	b := p.batch
	p.batch = batch{}
	if len(b.items)+len(b.deleted) == 0 {
		return
	}
	p.report.Written += len(b.items)
	p.report.Deleted += len(b.deleted)
	select {
	case p.write <- b:
	case <-p.ctx.Done():
	}
}

func (p *pass) place(b batch) error {
	return p.held(func(ctx context.Context) error { return p.To.Place(ctx, b.items, b.deleted) })
}

// held calls f only while this process holds the lease of the target. So a process that was
// suspended does not change a target that another process now migrates to.
func (p *pass) held(f func(context.Context) error) error {
	left := p.lease.Remaining()
	if left == 0 {
		return fmt.Errorf("this process was suspended for too long: %w; run it again", store.ErrLost)
	}
	ctx, cancel := context.WithTimeout(p.ctx, left)
	defer cancel()
	return f(ctx)
}

// compare fails if the items of a store differ from the items that this pass read from the source.
func (p *pass) compare(table store.Whole) error {
	unseen, differ := maps.Clone(p.source), 0
	kinds := map[string]bool{}
	err := p.scan(table, func(i store.Item) {
		name := idOf(i.Key)
		if p.source[name] != stateOf(i) {
			differ++
			kind, _, _ := strings.Cut(i.Partition, "#")
			kinds[kind] = true
		}
		delete(unseen, name)
	})
	if err != nil {
		return err
	}
	for _, was := range unseen {
		if !was.expired(p.Now()) {
			differ++
		}
	}
	if differ > 0 {
		return fmt.Errorf("%w: %d items differ (%s); stop whoever does, and run this again",
			ErrWritten, differ, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	return nil
}
