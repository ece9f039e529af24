package store

import (
	"context"
)

func Probe(ctx context.Context, table Table) error {
	return wrap(table.Write(ctx, set(Item{Key: Key{"SERVICE", "PROBE"}})), "try a write")
}
