package boltstore

import bolt "go.etcd.io/bbolt"

// Size is how large the file is, and how much of it is free: it is used again before the file grows.
func (s *Store) Size() (file, free int64) {
	_ = s.db.View(func(tx *bolt.Tx) error { // a closed file has no size that can be had
		file = tx.Size()
		return nil
	})
	return file, int64(s.db.Stats().FreeAlloc)
}
