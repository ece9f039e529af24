package reference

import (
	_ "embed"
	"encoding/json"
	"sync"
)

//go:embed advice.json
var adviceJSON []byte

// advice is the part of the reference that is not in the OpenAPI description, with one entry for
// each error code.
var advice = sync.OnceValue(func() (a struct {
	Advice map[string]string // what to do about a problem, by its code
	ProKey []ReferenceWay
	Rules  []ReferenceRule
}) {
	if err := json.Unmarshal(adviceJSON, &a); err != nil {
		panic(err) // it is embedded
	}
	return a
})
