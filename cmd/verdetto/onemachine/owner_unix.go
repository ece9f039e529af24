//go:build unix

package onemachine

import (
	"fmt"
	"os"
	"syscall"
)

// giveOwner gives a file the owner of another file, if root runs this process, so that the
// service's user can open a store that root created or restored.
func giveOwner(file, as string) error {
	info, err := os.Stat(as)
	if err != nil {
		return err
	}
	of, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(of.Uid) == os.Geteuid() || os.Geteuid() != 0 {
		return nil
	}
	// The service's user may replace the file by a link to a file of root meanwhile. So the link is
	// not followed, and the open file is changed.
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("give the file its owner: %w", err)
	}
	defer f.Close()
	if err := f.Chown(int(of.Uid), int(of.Gid)); err != nil {
		return fmt.Errorf("give the file its owner: %w", err)
	}
	return nil
}
