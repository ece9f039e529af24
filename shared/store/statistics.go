package store

import (
	"encoding/json"
	"strings"
	"time"
)

// Add must be called once for every item.
type Tally struct {
	Now       time.Time
	Routes    int
	Returns   int
	Alerts    int
	Watchers  int
	Customers int
	Plans     int // customers with a key whose plan has not ended
	Outbox    int
	Items     int
	Expired   int
	Bytes     int64 // total length of keys and data
	Kinds     map[string]int
}

func (t *Tally) Add(i Item) {
	if i.Expired(t.Now) {
		t.Expired++
		return
	}
	if t.Kinds == nil {
		t.Kinds = map[string]int{}
	}
	kind, rest, _ := strings.Cut(i.Partition, "#")
	t.Items++
	t.Kinds[kind]++
	t.Bytes += int64(len(i.Partition) + len(i.Sort) + len(i.Data))
	switch {
	case kind == "ROUTE" && i.Sort == "SHEET":
		if strings.Contains(rest, "#") {
			t.Returns++
		} else {
			t.Routes++
		}
	case kind == "ALERTS":
		t.Alerts++
	case kind == "SUBSCRIBER":
		t.Watchers++
	case kind == "OUTBOX":
		t.Outbox++
	case kind == "CUSTOMER":
		t.Customers++
		var c Customer
		if json.Unmarshal(i.Data, &c) == nil && c.HasLiveKey(t.Now) {
			t.Plans++
		}
	}
}
