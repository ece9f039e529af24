package onemachine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
)

func newBackup(t *testing.T) (dir, backup string) {
	t.Helper()
	dir = t.TempDir()
	kept := filepath.Join(dir, "kept.db")
	table, err := boltstore.Open(kept, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 200 {
		item := store.Item{Key: store.Key{Partition: "ROUTE#MIL-BUH", Sort: fmt.Sprintf("BLOCK#%05d", n)}, Data: bytes.Repeat([]byte{byte(n)}, 40*n)}
		if err := table.Write(t.Context(), store.Op{Item: item}); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	backup = filepath.Join(dir, "backup.db")
	if err := Backup(t.Context(), "bolt:"+kept, backup); err != nil {
		t.Fatal(err)
	}
	return dir, backup
}

func TestEveryByteOfABackup(t *testing.T) {
	dir, backup := newBackup(t)
	whole, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	// An operator can compute this checksum with sha256sum.
	if sum, last := fmt.Sprintf("%x\n", sha256.Sum256(whole[:len(whole)-116])), whole[len(whole)-115:]; !bytes.HasSuffix(last, []byte(sum)) {
		t.Errorf("the backup ends with %q, want %s", last, sum)
	}
	random := rand.New(rand.NewPCG(1, 2))
	damaged := map[string][]byte{"cut by one": whole[:len(whole)-1], "cut in half": whole[:len(whole)/2], "one more": append(bytes.Clone(whole), 0)}
	for n := range 200 {
		at := random.IntN(len(whole))
		if n >= 100 {
			at = len(whole) - 1 - (n - 100)
		}
		changed := bytes.Clone(whole)
		changed[at] ^= byte(1 + random.IntN(255))
		damaged[fmt.Sprintf("byte %d", at)] = changed
	}
	file, restored := filepath.Join(dir, "damaged.db"), filepath.Join(dir, "restored.db")
	passed := 0
	for name, data := range damaged {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, verified := Verify(t.Context(), "bolt:"+file, time.Now, nil)
		_, _, put := Restore(t.Context(), file, "bolt:"+restored, time.Now)
		if verified == nil || put == nil {
			passed++
			t.Logf("%s: verify %v, restore %v", name, verified, put)
		}
		if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, data) {
			t.Fatalf("%s: the file that was read was changed (%v)", name, err)
		}
		_ = os.Remove(restored)
	}
	if passed > 0 {
		t.Errorf("%d of %d damaged backups pass", passed, len(damaged))
	}
}

func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	made, err := boltstore.Open(filepath.Join(dir, "made.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	made.Close()
	nothing, err := os.ReadFile(filepath.Join(dir, "made.db"))
	if err != nil {
		t.Fatal(err)
	}
	file, restored := filepath.Join(dir, "file.db"), filepath.Join(dir, "restored.db")
	reads := map[string]func(context.Context) error{
		"verify": func(ctx context.Context) error { _, _, err := Verify(ctx, "bolt:"+file, time.Now, nil); return err },
		"restore": func(ctx context.Context) error {
			_, _, err := Restore(ctx, file, "bolt:"+restored, time.Now)
			return err
		},
		"status": func(ctx context.Context) error { _, err := StatusOf(ctx, "bolt:"+file, time.Now); return err },
		"backup": func(ctx context.Context) error { return Backup(ctx, "bolt:"+file, restored) },
	}
	for content, data := range map[string][]byte{"empty": {}, "text": []byte(strings.Repeat("fares\n", 10_000)), "a store without items": nothing} {
		for name, read := range reads {
			if err := os.WriteFile(file, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := read(t.Context()); err == nil && !(name == "status" && len(data) == len(nothing)) {
				t.Errorf("%s of a file that is %s is accepted", name, content)
			}
			if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, data) {
				t.Errorf("%s of a file that is %s has changed it: %d bytes, were %d (%v)", name, content, len(after), len(data), err)
			}
			if _, err := os.Stat(restored); err == nil {
				t.Errorf("%s of a file that is %s has made a store", name, content)
				_ = os.Remove(restored)
			}
		}
	}
}
