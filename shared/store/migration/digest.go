package migration

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"verdetto/shared/store"
)

// id is a digest of an item's key, and state holds a digest of its content. A migration keeps both
// in memory, since the items themselves would not fit.
type id [16]byte

type state struct {
	digest  [16]byte // of version, expiry and data
	expires int64    // 0: never
}

func idOf(k store.Key) id {
	sum := sha256.Sum256([]byte(k.Partition + "\x00" + k.Sort))
	return id(sum[:16])
}

func stateOf(i store.Item) state {
	var s state
	if !i.Expires.IsZero() {
		s.expires = i.Expires.Unix()
	}
	hash := sha256.New()
	hash.Write(binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(i.Version)), uint64(s.expires)))
	hash.Write(i.Data)
	s.digest = [16]byte(hash.Sum(nil))
	return s
}

// expired reports whether the item has expired, so that it counts as deleted.
func (s state) expired(now time.Time) bool { return s.expires != 0 && s.expires <= now.Unix() }
