package store

import (
	"context"
)

// Whole is a table whose items can be copied with their versions and expiry times. Package
// migration uses it to move data to another table, where writes that depend on a version continue
// to work.
type Whole interface {
	Table

	// Each calls f once for every live item, in any order, with strong reads. It sees every write
	// that returned before it began, and may see later ones; it is not a snapshot. Several
	// goroutines may call f at a time. If f fails, Each returns its error.
	Each(ctx context.Context, f func(Item) error) error

	// Place writes any number of items unconditionally at their own versions, and deletes keys. The
	// keys must differ. Data of 8 bytes becomes a counter for Take. After an error some items may
	// be written.
	Place(ctx context.Context, items []Item, deleted []Key) error
}

// Migration marks a table that is being filled from another one. Such a table is incomplete, and a
// server refuses to use it (key: MIGRATION).
type Migration struct{ Table Table }

var migrationKey = Key{"MIGRATION", "SOURCE"}

// Begin marks the table as being filled.
func (m Migration) Begin(ctx context.Context, from string) error {
	return wrap(m.Table.Write(ctx, set(Item{Key: migrationKey, Data: []byte(from)})), "begin migration")
}

// Unfinished reports whether the table is being filled, and from where.
func (m Migration) Unfinished(ctx context.Context) (from string, unfinished bool, err error) {
	item, err := m.Table.Get(ctx, migrationKey, Strong)
	return string(item.Data), err == nil, wrap(unless(err, ErrNotFound), "look for an unfinished migration")
}

// Finish marks the table as complete.
func (m Migration) Finish(ctx context.Context) error {
	return wrap(m.Table.Write(ctx, remove(migrationKey)), "finish migration")
}

// Lease returns the lease of the process that fills the table.
func (m Migration) Lease(holder string) *Lease {
	return &Lease{Table: m.Table, Name: migrationLease, Holder: holder}
}

// Own reports whether a key belongs to the migration itself, not to the moved data.
func (m Migration) Own(k Key) bool {
	return k == migrationKey || k == (&Lease{Name: migrationLease}).key()
}
