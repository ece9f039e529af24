package apikey

import (
	"crypto/sha256"
	"sync"
	"time"
)

// RefusedFor is how long a refused key is remembered. A key that becomes the
// current one meanwhile in another process is refused for so long at most.
const RefusedFor = 5 * time.Second

// maxRefused is how many are remembered: about 0.5 MB.
const maxRefused = 4096

// Refused remembers keys that were looked up and refused a moment ago, so that a program which goes
// on sending one does not have it looked up every time. It remembers no key that is in force, and
// of the others a hash. A nil Refused remembers nothing.
type Refused struct {
	mu      sync.Mutex
	keys    map[[sha256.Size]byte]refusal
	changes uint64 // how often Forget was called
}

type refusal struct {
	customer CustomerID
	until    time.Time
}

// NewRefused makes an empty one.
func NewRefused() *Refused { return &Refused{keys: map[[sha256.Size]byte]refusal{}} }

// name stands for a key in a use of its own: what is refused for one may be good for another.
func (k Key) name(use string) [sha256.Size]byte {
	return sha256.Sum256([]byte(use + "\x00" + string(k.Customer) + string(k.secret[:])))
}

// Lookup is what was true when a key began to be looked up.
type Lookup struct{ changes uint64 }

// Begin tells whether a key was refused for a use a moment ago; if not, it is to be
// looked up, and the Lookup handed to Add where it is refused then.
func (r *Refused) Begin(use string, k Key, now time.Time) (l Lookup, refused bool) {
	if r == nil {
		return Lookup{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.keys[k.name(use)]
	return Lookup{r.changes}, ok && now.Before(known.until)
}

// Add remembers that a key was refused for a use, unless a key was issued since it began to be looked up.
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
		clear(r.keys) // forgetting costs one read for each that is sent again
	}
	r.keys[k.name(use)] = refusal{k.Customer, now.Add(RefusedFor)}
}

// Forget forgets the keys of a customer: one of them may have become the current one.
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
