//go:build linux || darwin

package onemachine

import "syscall"

func diskFree(folder string) (float64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return float64(s.Bavail) * float64(s.Bsize), true
}
