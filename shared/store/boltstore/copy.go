package boltstore

import (
	"fmt"
	"io"

	bolt "go.etcd.io/bbolt"
)

// Copy writes a consistent snapshot of the whole file, while other goroutines read and write it. It
// calls size with the number of bytes before it writes the first byte.
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

// Size returns the size of the file and the free space in it. Free space is reused before the
// file grows.
func (s *Store) Size() (file, free int64) {
	_ = s.db.View(func(tx *bolt.Tx) error { // a closed file has size 0
		file = tx.Size()
		return nil
	})
	return file, int64(s.db.Stats().FreeAlloc)
}
