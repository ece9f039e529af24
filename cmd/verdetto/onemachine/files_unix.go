//go:build linux || darwin

package onemachine

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// giveOwner gives a file the owner of another file, if root runs this process, so that the
// service's user can open a store that root created or restored.
func giveOwner(file, as string) error {
	info, err := os.Stat(as)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) == os.Geteuid() || os.Geteuid() != 0 {
		return nil
	}
	// Between these calls the service's user may replace the file by a link to a file of root.
	// Therefore links are not followed, and the owner of the open file is changed.
	f, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return fmt.Errorf("give the file its owner: %w", err)
	}
	defer f.Close()
	if err := f.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
		return fmt.Errorf("give the file its owner: %w", err)
	}
	return nil
}

// lockPart locks a part file until it is closed, so that sweepParts does not delete it. The lock is
// shared, because a store is read while its part file is locked.
func lockPart(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) }

var partName = regexp.MustCompile(`\.verdetto\.part-[0-9]+$`)

// sweepParts deletes the part files of killed backups and restores, which may hold addresses of
// customers. It deletes no locked file, and follows no link. An empty file stays for an hour,
// because another process may just have created it and not locked it yet.
func sweepParts(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return // the command that needs the folder says why
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !partName.MatchString(e.Name()) {
			continue
		}
		path := filepath.Join(folder, e.Name())
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue
		}
		info, err := f.Stat()
		if err == nil && info.Mode().IsRegular() && (info.Size() > 0 || time.Since(info.ModTime()) > time.Hour) &&
			syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.Remove(path) // tried again at the next start
		}
		f.Close()
	}
}

func diskFree(folder string) (float64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return float64(s.Bavail) * float64(s.Bsize), true
}
