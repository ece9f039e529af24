package store

import (
	"context"
	"time"
)

// Whoever writes a note derives the note's name and encryption key from a secret, so that the stored note reveals
// neither the text nor the owner.
type Notes struct{ Table Table }

type Note struct {
	Name  string
	Data  []byte
	Until time.Time
}

func noteKey(name string) Key { return Key{"NOTE#" + name, "TEXT"} }

func (n Note) op() Op { return set(Item{Key: noteKey(n.Name), Data: n.Data, Expires: n.Until}) }

func (n Notes) Put(ctx context.Context, note Note) error {
	return wrap(n.Table.Write(ctx, note.op()), "leave a note")
}

func (n Notes) Get(ctx context.Context, name string) ([]byte, error) {
	item, err := n.Table.Get(ctx, noteKey(name), Strong)
	return item.Data, wrap(err, "read a note")
}

func (n Notes) Drop(ctx context.Context, name string) error {
	return wrap(n.Table.Write(ctx, remove(noteKey(name))), "drop a note")
}
