package store

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// All networks are in one item, so that concurrent workers see which jobs the others have chosen.
type Networks struct{ Table Table }

type Network struct {
	Since int64 `json:"s"` // in Unix seconds
	Jobs  int   `json:"n"`
	// Recent holds, for each recipient, the Unix time of the last new job.
	Recent  map[SubscriberID]int64 `json:"r,omitempty"`
	Bounced []SubscriberID         `json:"b,omitempty"` // recipients whose mailbox does not exist
	Closed  int64                  `json:"c,omitempty"` // Unix time until which the network's jobs wait
}

const (
	networkSpan = 24 * time.Hour
	// maxNetworks limits the size of the item.
	maxNetworks = 1500
)

func (n Networks) Change(ctx context.Context, now time.Time, change func(map[string]*Network)) error {
	err := RetryConflicts(ctx, func() error {
		key := Key{"NETWORKS", "TURNS"}
		all, item, err := get[map[string]*Network](ctx, n.Table, key, Strong)
		if err := unless(err, ErrNotFound); err != nil {
			return err
		}
		if all == nil {
			all = map[string]*Network{}
		}
		maps.DeleteFunc(all, func(_ string, w *Network) bool {
			return now.Unix() >= max(w.Closed, w.Since+int64(networkSpan/time.Second))
		})
		change(all)
		if len(all) > maxNetworks {
			oldest := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
				return int(max(all[a].Closed, all[a].Since) - max(all[b].Closed, all[b].Since))
			})
			for _, name := range oldest[:len(all)-maxNetworks] {
				delete(all, name)
			}
		}
		data, err := json.Marshal(all)
		if err != nil || bytes.Equal(data, item.Data) || len(all) == 0 && item.Version == 0 {
			return err
		}
		return n.Table.Write(ctx, replace(Item{Key: key, Version: item.Version, Data: data, Expires: now.Add(2 * networkSpan)}))
	})
	return wrap(err, "change networks")
}
