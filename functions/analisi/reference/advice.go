package reference

import (
	_ "embed"
	"encoding/json"
	"sync"
)

//go:embed advice.json
var adviceJSON []byte

var advice = sync.OnceValue(func() (a struct {
	Advice map[string]string // what to do about a problem, by the code of the problem
	ProKey []ReferenceWay
	Rules  []ReferenceRule
}) {
	if err := json.Unmarshal(adviceJSON, &a); err != nil {
		panic(err)
	}
	return a
})
