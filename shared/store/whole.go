package store

import (
	"context"
)

// Whole is a table that can be read and written as a whole and as it is, versions
// and ends included, so that what it holds can be moved to another: package
// migration does. What depends on a version goes on as if nothing had happened.
type Whole interface {
	Table

	// Each calls f with every item that has not expired, in any order, each once, and
	// reads strongly: it sees every write that had returned before it began, and may
	// see later ones. It is not a moment's picture where others write meanwhile. f
	// may be called by several goroutines at a time; where it fails, Each ends with its error.
	Each(ctx context.Context, f func(Item) error) error

	// Place writes items as they are, at the versions they have, whatever stands
	// there, and deletes the keys. Data of 8 bytes go on as a counter where Take is
	// called. After an error some may be written. There may be any number of them;
	// their keys differ.
	Place(ctx context.Context, items []Item, deleted []Key) error
}

// Migration says of a table that it is being filled from another and is not
// complete: nobody may serve it (key: MIGRATION).
type Migration struct{ Table Table }

var migrationKey = Key{"MIGRATION", "SOURCE"}

// Begin says that the table is being filled.
func (m Migration) Begin(ctx context.Context, from string) error {
	return wrap(m.Table.Write(ctx, set(Item{Key: migrationKey, Data: []byte(from)})), "begin migration")
}

// Unfinished tells whether the table is being filled, and from where.
func (m Migration) Unfinished(ctx context.Context) (from string, unfinished bool, err error) {
	item, err := m.Table.Get(ctx, migrationKey, Strong)
	return string(item.Data), err == nil, wrap(unless(err, ErrNotFound), "look for an unfinished migration")
}

// Finish says that it is complete.
func (m Migration) Finish(ctx context.Context) error {
	return wrap(m.Table.Write(ctx, remove(migrationKey)), "finish migration")
}

// Lease is held by who fills the table: one process at a time.
func (m Migration) Lease(holder string) *Lease {
	return &Lease{Table: m.Table, Name: migrationLease, Holder: holder}
}

// Own tells whether a key is of migration itself, and belongs to no moved data.
func (m Migration) Own(k Key) bool {
	return k == migrationKey || k == (&Lease{Name: migrationLease}).key()
}
