//go:build !linux && !darwin

package onemachine

import "os"

// giveOwner does nothing: this system has no owners that root could set.
func giveOwner(string, string) error { return nil }

// lockPart and sweepParts do nothing: without locks, a part file of a living process is not known.
func lockPart(*os.File) error { return nil }
func sweepParts(string)       {}

func diskFree(string) (float64, bool) { return 0, false }
