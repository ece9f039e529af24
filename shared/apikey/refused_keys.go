package apikey

import (
	"crypto/sha256"
	"sync"
	"time"
)

// RefusedFor is the longest time for which a process refuses a key without another lookup.
const RefusedFor = 5 * time.Second

const maxRefused = 4096

// Refused remembers keys that a lookup has just refused, so that a program that keeps sending a bad
// key does not cause a lookup for each call. A nil Refused remembers nothing.
type Refused struct {
	mu      sync.Mutex
	keys    map[[sha256.Size]byte]refusal
	changes uint64 // number of calls to Forget
}

type refusal struct {
	customer CustomerID
	until    time.Time
}

func NewRefused() *Refused { return &Refused{keys: map[[sha256.Size]byte]refusal{}} }

// A key that is refused for one use may be valid for another, so name includes the use.
func (k Key) name(use string) [sha256.Size]byte {
	return sha256.Sum256([]byte(use + "\x00" + string(k.Customer) + string(k.secret[:])))
}

type Lookup struct{ changes uint64 }

// If Begin returns false, the caller must look the key up, and pass l to Add if the lookup refuses
// the key.
func (r *Refused) Begin(use string, k Key, now time.Time) (l Lookup, refused bool) {
	if r == nil {
		return Lookup{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.keys[k.name(use)]
	return Lookup{r.changes}, ok && now.Before(known.until)
}

// Add remembers that a key was refused for a use. It does nothing if Forget was called since Begin,
// because a key may have been issued during the lookup.
func (r *Refused) Add(l Lookup, use string, k Key, now time.Time) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.changes != r.changes {
		return
	}
	if len(r.keys) >= maxRefused {
		clear(r.keys)
	}
	r.keys[k.name(use)] = refusal{k.Customer, now.Add(RefusedFor)}
}

// Forget drops the refused keys of a customer, one of which may now be valid.
func (r *Refused) Forget(customer CustomerID) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes++
	for name, known := range r.keys {
		if known.customer == customer {
			delete(r.keys, name)
		}
	}
}
