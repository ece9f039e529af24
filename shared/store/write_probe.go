package store

import (
	"context"
)

// Probe checks that a table can be written to (partition: SERVICE).
func Probe(ctx context.Context, table Table) error {
	return wrap(table.Write(ctx, set(Item{Key: Key{"SERVICE", "PROBE"}})), "try a write")
}
