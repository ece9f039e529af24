package store

import (
	"context"
	"time"
)

// Notes stores texts for a short time that only the bearer of a secret can read. Examples are a key
// to show again and the subject of a mailed link. The writer derives the name from the secret and
// encrypts the text with it. So the stored note reveals neither its text nor its owner (keys:
// NOTE).
type Notes struct{ Table Table }

// Note is a text for the bearer of a secret.
type Note struct {
	Name  string
	Data  []byte
	Until time.Time
}

func noteKey(name string) Key { return Key{"NOTE#" + name, "TEXT"} }

func (n Note) op() Op { return set(Item{Key: noteKey(n.Name), Data: n.Data, Expires: n.Until}) }

// Put stores a note and replaces an earlier one of the same name.
func (n Notes) Put(ctx context.Context, note Note) error {
	return wrap(n.Table.Write(ctx, note.op()), "leave a note")
}

// Get returns the data of a note, or ErrNotFound.
func (n Notes) Get(ctx context.Context, name string) ([]byte, error) {
	item, err := n.Table.Get(ctx, noteKey(name), Strong)
	return item.Data, wrap(err, "read a note")
}

// Drop deletes a note.
func (n Notes) Drop(ctx context.Context, name string) error {
	return wrap(n.Table.Write(ctx, remove(noteKey(name))), "drop a note")
}
