//go:build unix

package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// share lets the service's user read a file that root writes into /etc/verdetto: the group of the
// folder may read the file if no other group or user can open the folder.
func share(file string) error {
	folder, err := os.Stat(filepath.Dir(file))
	if err != nil {
		return err
	}
	owner, ok := folder.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() != 0 || owner.Uid != 0 || owner.Gid == 0 || folder.Mode().Perm()&0o077 != 0o050 {
		return nil
	}
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("give the file its group: %w", err)
	}
	defer f.Close()
	if err := f.Chown(0, int(owner.Gid)); err != nil {
		return fmt.Errorf("give the file its group: %w", err)
	}
	return f.Chmod(0o640)
}
