package store

import (
	"context"
)

// Whole is a table whose items can be copied with their versions and expiry times. Package
// migration uses it to move data to another table. Because versions are copied, writes that require
// a version also work on the other table.
type Whole interface {
	Table

	// Each calls f once for every item that has not expired, in any order, with strong reads. It
	// includes every write that returned before Each began, and may include later writes; it is not
	// a snapshot. Several goroutines may call f at the same time. If f fails, Each returns the
	// error of f.
	Each(ctx context.Context, f func(Item) error) error

	// Place writes any number of items, without conditions, at the versions of the items. It also
	// deletes the keys in deleted. No key may occur twice. An item with 8 bytes of data becomes a
	// counter for Take. After an error, some of the items may be written.
	Place(ctx context.Context, items []Item, deleted []Key) error
}

// Migration marks a table while data are copied to it from another table. Until the copy is
// finished, the table is incomplete, and a server refuses to use it (partition: MIGRATION).
type Migration struct{ Table Table }

var migrationKey = Key{"MIGRATION", "SOURCE"}

// Begin marks the table as incomplete, because data are being copied to it. The parameter from is
// the name of the store that the data come from.
func (m Migration) Begin(ctx context.Context, from string) error {
	return wrap(m.Table.Write(ctx, set(Item{Key: migrationKey, Data: []byte(from)})), "begin migration")
}

// Unfinished reports whether the table is marked as incomplete, and from which store the data are
// copied.
func (m Migration) Unfinished(ctx context.Context) (from string, unfinished bool, err error) {
	item, err := m.Table.Get(ctx, migrationKey, Strong)
	return string(item.Data), err == nil, wrap(unless(err, ErrNotFound), "look for an unfinished migration")
}

// Finish marks the table as complete.
func (m Migration) Finish(ctx context.Context) error {
	return wrap(m.Table.Write(ctx, remove(migrationKey)), "finish migration")
}

// Lease returns the lease of the process that copies data to the table.
func (m Migration) Lease(holder string) *Lease {
	return &Lease{Table: m.Table, Name: migrationLease, Holder: holder}
}

// Own reports whether a key belongs to the migration itself: the mark or the lease. Such items are
// not copied.
func (m Migration) Own(k Key) bool {
	return k == migrationKey || k == (&Lease{Name: migrationLease}).key()
}
