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

// If root runs this process, giveOwner gives the file the owner of another file or folder, so that the
// service's user can open the file.
func giveOwner(file, as string) error {
	info, err := os.Stat(as)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) == os.Geteuid() || os.Geteuid() != 0 {
		return nil
	}
	// The service's user could replace the file by a link to a file of root. Therefore OpenFile follows
	// no link, and Chown changes the open file.
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

// lockPart takes a shared lock, because Backup and Restore read a locked part file.
func lockPart(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) }

var partName = regexp.MustCompile(`\.verdetto\.part-[0-9]+$`)

// sweepParts deletes the part files of killed commands, which can hold mail addresses. An empty
// file stays for an hour, because another process may be about to lock the file.
func sweepParts(folder string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
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
			_ = os.Remove(path)
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
