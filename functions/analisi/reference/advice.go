package reference

import (
	_ "embed"
	"encoding/json"
	"sync"
)

//go:embed advice.json
var adviceJSON []byte

// advice is what of the reference the description does not hold. A test wants an entry
// for each code that the description lists, and no other.
var advice = sync.OnceValue(func() (a struct {
	Advice map[string]string // what to do about a problem, by its code
	ProKey []ReferenceWay    // the ways to a Pro key
	Rules  []ReferenceRule   // what holds throughout
}) {
	if err := json.Unmarshal(adviceJSON, &a); err != nil {
		panic(err) // it is embedded
	}
	return a
})
