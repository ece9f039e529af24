//go:build unix

package settings

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestWriteAsRoot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("not run: only root can set a group")
	}
	const group = 64999
	for name, c := range map[string]struct {
		mode       os.FileMode
		owner, gid int
		want       os.FileMode
		wantGroup  uint32
	}{
		"the service's group":      {0o750, 0, group, 0o640, group},
		"a folder for all":         {0o755, 0, group, 0o600, 0},
		"another user's folder":    {0o750, group, group, 0o600, 0},
		"a group that could write": {0o770, 0, group, 0o600, 0},
		"root's folder":            {0o750, 0, 0, 0o600, 0},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.Chown(folder, c.owner, c.gid); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(folder, c.mode); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(folder, "verdetto.toml")
			if err := Write(file, map[string]any{"VERDETTO_LOG": "json"}); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			owner := info.Sys().(*syscall.Stat_t)
			if info.Mode().Perm() != c.want || owner.Uid != 0 || owner.Gid != c.wantGroup {
				t.Errorf("%v of %d:%d, want %v of 0:%d", info.Mode(), owner.Uid, owner.Gid, c.want, c.wantGroup)
			}
		})
	}
}
