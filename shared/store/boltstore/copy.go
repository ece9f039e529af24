package boltstore

import (
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"
)

// Copy writes the whole file as it stands at one moment, while others go on
// reading and writing it: a transaction sees nothing that came later. size is told
// how much there will be before the first byte.
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

// Size is how large the file is, and how much of it is free: it is used again before the file grows.
func (s *Store) Size() (file, free int64) {
	_ = s.db.View(func(tx *bolt.Tx) error { // a closed file has no size that can be had
		file = tx.Size()
		return nil
	})
	return file, int64(s.db.Stats().FreeAlloc)
}
