package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// fieldTree holds the fields of an answer that a tool keeps. A field without children keeps its
// whole value. An agent reads every byte of an answer, so a tool omits what its text or the page
// says already.
type fieldTree map[string]fieldTree

// newFieldTree parses dotted paths such as "verdetto.livello". Without paths it returns nil, which
// keeps everything.
func newFieldTree(paths []string) fieldTree {
	var root fieldTree
	for _, path := range paths {
		if root == nil {
			root = fieldTree{}
		}
		at := root
		for name := range strings.SplitSeq(path, ".") {
			if at[name] == nil {
				at[name] = fieldTree{}
			}
			at = at[name]
		}
	}
	return root
}

func (f fieldTree) encode(answer any) (json.RawMessage, error) {
	data, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	if len(f) == 0 {
		return data, nil
	}
	var value any
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // amounts stay exact
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("read answer: %w", err)
	}
	f.prune(value)
	if data, err = json.Marshal(value); err != nil {
		return nil, fmt.Errorf("write answer: %w", err)
	}
	return data, nil
}

// prune also applies to the objects in lists.
func (f fieldTree) prune(value any) {
	if len(f) == 0 {
		return
	}
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			f.prune(one)
		}
	case map[string]any:
		for name, one := range v {
			if below, ok := f[name]; ok {
				below.prune(one)
			} else {
				delete(v, name)
			}
		}
	}
}
