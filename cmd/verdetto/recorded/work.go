package recorded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
)

// plan is written once, so a killed import can continue.
type plan struct {
	Report
	Whole    bool                        `json:"whole"`  // all series are refreshed again, not only those of the panel
	Source   string                      `json:"source"` // name of the fare source
	Panel    string                      `json:"panel"`  // digest of the rows
	Digest   string                      `json:"digest"` // of all fares that are refreshed again
	Versions map[string]map[string]int64 `json:"versions"`
}

// The lock of the store file in the work folder also locks the folder.
type work struct {
	folder  string
	table   *boltstore.Store
	clock   atomic.Int64 // Unix seconds
	plan    plan
	next    fare.Day
	copying bool // all days are done, and the result is being copied
}

// The progress is the next day, or copyingMark.
const (
	storeFile    = "fares.db"
	planFile     = "plan.json"
	progressFile = "progress"
	copyingMark  = "copying"
)

func (w *work) now() time.Time { return time.Unix(w.clock.Load(), 0).UTC() }

func (w *work) path(name string) string { return filepath.Join(w.folder, name) }

// openWork also reads how far an earlier import came.
func openWork(folder string) (*work, error) {
	w := &work{folder: folder}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the work folder: %w", err)
	}
	if err := w.openStore(); errors.Is(err, boltstore.ErrInUse) {
		return nil, fmt.Errorf("another import into this store is running: %w", err)
	} else if err != nil { // cut off by a power failure
		return w, w.clear()
	}
	data, err := os.ReadFile(w.path(planFile))
	if err == nil {
		err = json.Unmarshal(data, &w.plan)
	}
	var progress []byte
	if err == nil {
		progress, err = os.ReadFile(w.path(progressFile))
	}
	if err != nil {
		return w, w.clear()
	}
	if string(progress) == copyingMark {
		w.copying = true
		w.clock.Store((w.plan.Last + 1).Time().Unix() - 1)
		return w, nil
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(progress)))
	if err != nil {
		return w, w.clear()
	}
	w.next = fare.Day(n)
	return w, nil
}

// openStore opens a store whose writes do not wait for the disk: after a power failure the import
// starts again. The clock stands at 1970 until a day begins, so nothing has expired.
func (w *work) openStore() (err error) {
	w.table, err = boltstore.Open(w.path(storeFile), w.now, boltstore.Scratch)
	return err
}

func (w *work) clear() error {
	if w.table != nil {
		if err := w.table.Close(); err != nil {
			return err
		}
	}
	w.plan, w.next, w.copying = plan{}, 0, false
	w.clock.Store(0)
	if err := os.MkdirAll(w.folder, 0o700); err != nil {
		return fmt.Errorf("make the work folder: %w", err)
	}
	for _, name := range []string{progressFile, planFile, storeFile} {
		if err := os.Remove(w.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("empty the work folder: %w", err)
		}
	}
	return w.openStore()
}

// begin continues if the folder holds a part of the same plan, and otherwise starts again.
func (w *work) begin(p *plan) error {
	if w.plan.Digest == p.Digest && w.next > 0 {
		w.plan = *p
		w.plan.Resumed = w.next
		return nil
	}
	if err := w.clear(); err != nil {
		return err
	}
	w.plan, w.next = *p, p.First
	data, err := json.Marshal(p)
	if err == nil {
		err = w.write(planFile, data)
	}
	if err == nil {
		err = w.write(progressFile, []byte(strconv.Itoa(int(p.First))))
	}
	return err
}

func (w *work) completed(day fare.Day) error {
	w.next = day + 1
	return w.write(progressFile, []byte(strconv.Itoa(int(w.next))))
}

func (w *work) startCopying() error {
	w.copying = true
	return w.write(progressFile, []byte(copyingMark))
}

func (w *work) write(name string, data []byte) error {
	part := w.path(name + ".part")
	err := os.WriteFile(part, data, 0o600)
	if err == nil {
		err = os.Rename(part, w.path(name))
	}
	if err != nil {
		return fmt.Errorf("write the progress: %w", err)
	}
	return nil
}

func (w *work) close() error {
	if w.table == nil {
		return nil
	}
	return w.table.Close()
}

// remove deletes the folder. A further plan makes it again.
func (w *work) remove() error {
	err := w.close()
	w.table, w.next, w.copying = nil, 0, false
	return errors.Join(err, os.RemoveAll(w.folder))
}

func (w *work) fares() store.Fares { return store.Fares{Table: w.table} }
