package boltstore

import (
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"
)

// Copy calls size before the first byte is written. During Copy, other goroutines may read and write the store.
func (s *Store) Copy(w io.Writer, size func(bytes int64)) error {
	err := s.db.View(func(tx *bolt.Tx) error {
		size(tx.Size())
		_, err := tx.WriteTo(w)
		return err
	})
	if err != nil {
		return fmt.Errorf("copy store: %w", err)
	}
	return nil
}

// Both sizes are in bytes.
func (s *Store) Size() (file, free int64) {
	_ = s.db.View(func(tx *bolt.Tx) error {
		file = tx.Size()
		return nil
	})
	return file, int64(s.db.Stats().FreeAlloc)
}
