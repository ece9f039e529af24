package recorded

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

type plan struct {
	Report
	Whole    bool                        `json:"whole"` // all series are refreshed again, not only those of the panel
	Source   string                      `json:"source"`
	Panel    string                      `json:"panel"`
	Digest   string                      `json:"digest"`
	Versions map[string]map[string]int64 `json:"versions"`
}

// The lock of the store file in the work folder also locks the folder.
type work struct {
	folder  string
	table   *boltstore.Store
	clock   atomic.Int64 // Unix seconds
	plan    plan
	next    fare.Day
	copying bool
}

const (
	storeFile   = "fares.db"
	planFile    = "plan.json"
	copyingFile = "copying"
	// The name of a checkpoint ends with the day with which to continue.
	checkpointPrefix = "checkpoint-"
)

func (w *work) now() time.Time { return time.Unix(w.clock.Load(), 0).UTC() }

func (w *work) path(name string) string { return filepath.Join(w.folder, name) }

func openWork(folder string) (*work, error) {
	w := &work{folder: folder}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the work folder: %w", err)
	}
	if err := w.openStore(); errors.Is(err, boltstore.ErrInUse) {
		return nil, fmt.Errorf("another import into this store is running: %w", err)
	} else if err != nil {
		return w, w.clear()
	}
	data, err := os.ReadFile(w.path(planFile))
	if err == nil {
		err = json.Unmarshal(data, &w.plan)
	}
	if err != nil {
		return w, w.clear()
	}
	if _, err := os.Stat(w.path(copyingFile)); err == nil {
		w.copying = true
		w.clock.Store((w.plan.Last + 1).Time().Unix() - 1)
		return w, nil
	}
	name, next := w.newest()
	if next == 0 {
		return w, w.clear()
	}
	w.next = next
	err = w.table.Close()
	if err == nil {
		err = w.write(storeFile, func(to io.Writer) error {
			from, err := os.Open(name)
			if err != nil {
				return err
			}
			defer from.Close()
			_, err = io.Copy(to, from)
			return err
		})
	}
	if err == nil {
		err = w.openStore()
	}
	if err != nil {
		return w, w.clear()
	}
	return w, nil
}

func (w *work) newest() (name string, next fare.Day) {
	for _, file := range w.checkpoints() {
		n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(file), checkpointPrefix))
		if err == nil && fare.Day(n) > next {
			name, next = file, fare.Day(n)
		}
	}
	return name, next
}

func (w *work) checkpoints() (all []string) {
	entries, _ := os.ReadDir(w.folder)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), checkpointPrefix) {
			all = append(all, w.path(e.Name()))
		}
	}
	return all
}

func (w *work) checkpoint(next fare.Day) error {
	names := w.checkpoints()
	err := w.write(checkpointPrefix+strconv.Itoa(int(next)),
		func(to io.Writer) error { return w.table.Copy(to, func(int64) {}) })
	for _, name := range names {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// Writes do not wait for the disk, because after a power failure the import can start again.
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
	for _, name := range append(w.checkpoints(), w.path(copyingFile), w.path(planFile), w.path(storeFile)) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("empty the work folder: %w", err)
		}
	}
	return w.openStore()
}

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
		err = w.write(planFile, func(to io.Writer) error { _, err := to.Write(data); return err })
	}
	return err
}

func (w *work) startCopying() error {
	w.copying = true
	return w.write(copyingFile, func(io.Writer) error { return nil })
}

func (w *work) write(name string, content func(io.Writer) error) error {
	part, err := os.OpenFile(w.path("part"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err == nil {
		err = errors.Join(content(part), part.Close())
	}
	if err == nil {
		err = os.Rename(part.Name(), w.path(name))
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

func (w *work) remove() error {
	err := w.close()
	w.table, w.next, w.copying = nil, 0, false
	return errors.Join(err, os.RemoveAll(w.folder))
}

func (w *work) fares() store.Fares { return store.Fares{Table: w.table} }
