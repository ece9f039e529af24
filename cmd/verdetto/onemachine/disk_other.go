//go:build !linux && !darwin

package onemachine

// diskFree is for where a system says so.
func diskFree(string) (float64, bool) { return 0, false }
