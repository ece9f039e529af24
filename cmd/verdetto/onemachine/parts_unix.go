//go:build unix

package onemachine

import (
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// lockPart locks a part file until it is closed, so that sweepParts does not delete it. The lock is shared, because a store is read while its part file is locked.
func lockPart(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) }

var partName = regexp.MustCompile(`\.verdetto\.part-[0-9]+$`)

// sweepParts deletes from a folder what a killed backup or restore left: it may
// hold addresses of customers. It deletes nothing that is locked, and follows no link. Another
// process may just have created an empty file, which is not locked yet, so that stays for an hour.
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
