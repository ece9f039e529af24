package restore

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
)

// The second caller of a pair waits for the answer to the first, so the first has as many counted
// calls as the second, or one more.
type pair struct {
	callers      [2]*caller
	acknowledged [2]atomic.Int64
	begun        [2]atomic.Int64
}

func TestBackupUnderLoad(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	s := serve(t, d, "kept.db")
	between := false
	for range 3 {
		pairs := make([]*pair, 6)
		stop, ready := make(chan struct{}), make(chan struct{}, len(pairs))
		var busy sync.WaitGroup
		for i := range pairs {
			p := &pair{callers: [2]*caller{newCaller(), newCaller()}}
			pairs[i] = p
			busy.Go(func() {
				for n := int64(0); n < most; n++ {
					select {
					case <-stop:
						return
					default:
					}
					for side, c := range p.callers {
						p.begun[side].Add(1)
						if err := c.call(context.Background(), s.URL); err != nil {
							t.Error(err)
							return
						}
						p.acknowledged[side].Store(c.counted)
					}
					if n == 4 {
						ready <- struct{}{}
					}
				}
			})
		}
		for range pairs {
			<-ready
		}
		least := make([]int64, len(pairs))
		for i, p := range pairs {
			least[i] = p.acknowledged[1].Load()
		}
		if got := d.Run("backup", "-store", "bolt:kept.db", "-to", "copy.db"); got.Code != 0 {
			t.Fatal(got.Stderr)
		}
		greatest := make([]int64, len(pairs))
		for i, p := range pairs {
			greatest[i] = p.begun[0].Load()
		}
		close(stop)
		busy.Wait()

		if got := d.Run("restore", "-from", "copy.db", "-store", "bolt:restored.db"); got.Code != 0 {
			t.Fatal(got.Stderr)
		}
		again := serve(t, d, "restored.db")
		for i, p := range pairs {
			var held [2]int64 // calls counted in the backup
			for side, c := range p.callers {
				c.client.CloseIdleConnections()
				storetest.Must(t, c.call(t.Context(), again.URL))
				held[side] = c.counted - 1
				c.client.CloseIdleConnections()
			}
			if held[0] != held[1] && held[0] != held[1]+1 || held[1] < least[i] || held[0] > greatest[i] {
				t.Errorf(
					"pair %d was counted %v times: no state that ever was; at the backup it was between %d and %d", i, held,
					least[i], greatest[i],
				)
			}
			between = between || held[0] == held[1]+1 || held[1] > least[i]
		}
		again.Stop(t)
		d.Remove("copy.db")
	}
	if !between {
		t.Error("nothing is proved: no call was made during a backup")
	}
	s.Stop(t)
}
