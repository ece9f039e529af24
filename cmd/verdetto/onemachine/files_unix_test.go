//go:build linux || darwin

package onemachine

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestGiveOwner_Link(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	folder, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	if err := os.Chown(folder, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("of root"), 0o600); err != nil {
		t.Fatal(err)
	}
	link, file := filepath.Join(folder, "link"), filepath.Join(folder, "file")
	if err := os.Symlink(secret, link); err != nil {
		t.Fatal(err)
	}
	if err := giveOwner(link, folder); err == nil {
		t.Error("a link is followed")
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := giveOwner(file, folder); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]uint32{secret: 0, file: 65534} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if owner := info.Sys().(*syscall.Stat_t).Uid; owner != want {
			t.Errorf("%s belongs to user %d, want %d", path, owner, want)
		}
	}
}
