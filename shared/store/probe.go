package store

import (
	"context"
)

// Probe fails if a table cannot be written to (key: SERVICE).
func Probe(ctx context.Context, table Table) error {
	return wrap(table.Write(ctx, set(Item{Key: Key{"SERVICE", "PROBE"}})), "try a write")
}
