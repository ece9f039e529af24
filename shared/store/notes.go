package store

import (
	"context"
	"time"
)

// Notes stores for a while what only the bearer of a secret can read: a key that
// may be looked at again, what a mailed link is about. Names are derived from the
// secret and the text is encrypted under it by the writer: from what is
// stored here nothing can be read, nor whose it is (keys: NOTE).
type Notes struct{ Table Table }

// Note is what is left for the bearer of a secret.
type Note struct {
	Name  string
	Data  []byte
	Until time.Time
}

func noteKey(name string) Key { return Key{"NOTE#" + name, "TEXT"} }

func (n Note) op() Op { return set(Item{Key: noteKey(n.Name), Data: n.Data, Expires: n.Until}) }

// Put leaves a note, in the place of one of the same name.
func (n Notes) Put(ctx context.Context, note Note) error {
	return wrap(n.Table.Write(ctx, note.op()), "leave a note")
}

// Get returns what a note of that name holds, or ErrNotFound.
func (n Notes) Get(ctx context.Context, name string) ([]byte, error) {
	item, err := n.Table.Get(ctx, noteKey(name), Strong)
	return item.Data, wrap(err, "read a note")
}

// Drop removes a note.
func (n Notes) Drop(ctx context.Context, name string) error {
	return wrap(n.Table.Write(ctx, remove(noteKey(name))), "drop a note")
}
