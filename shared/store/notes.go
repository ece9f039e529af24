package store

import (
	"context"
	"fmt"
	"time"
)

// Notes stores for a while what only the bearer of a secret can read: a key that
// may be looked at again, what a mailed link is about. Names are derived from the
// secret and the text is encrypted under it, by who leaves the note: of what is
// stored here nothing can be read, nor told whose it is (keys: NOTE).
type Notes struct{ Table Table }

// Note is what is left for the bearer of a secret.
type Note struct {
	Name  string
	Data  []byte
	Until time.Time
}

func noteKey(name string) Key { return Key{"NOTE#" + name, "TEXT"} }

func (n Note) op() Op {
	return Op{Mode: Set, Item: Item{Key: noteKey(n.Name), Data: n.Data, Expires: n.Until}}
}

// Put leaves a note, in the place of one of the same name.
func (n Notes) Put(ctx context.Context, note Note) error {
	if err := n.Table.Write(ctx, note.op()); err != nil {
		return fmt.Errorf("leave a note: %w", err)
	}
	return nil
}

// Get gives what a note of that name holds, or ErrNotFound.
func (n Notes) Get(ctx context.Context, name string) ([]byte, error) {
	item, err := n.Table.Get(ctx, noteKey(name), Strong)
	if err != nil {
		return nil, fmt.Errorf("read a note: %w", err)
	}
	return item.Data, nil
}

// Drop removes a note.
func (n Notes) Drop(ctx context.Context, name string) error {
	if err := n.Table.Write(ctx, Op{Mode: Delete, Item: Item{Key: noteKey(name)}}); err != nil {
		return fmt.Errorf("drop a note: %w", err)
	}
	return nil
}
