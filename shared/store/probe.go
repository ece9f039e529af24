package store

import (
	"context"
	"fmt"
)

// Probe fails if a table cannot be written to (key: SERVICE).
func Probe(ctx context.Context, table Table) error {
	if err := table.Write(ctx, Op{Item: Item{Key: Key{"SERVICE", "PROBE"}}}); err != nil {
		return fmt.Errorf("try a write: %w", err)
	}
	return nil
}
