//go:build !linux && !darwin

package onemachine

// diskFree reports that the free space is unknown on this system.
func diskFree(string) (float64, bool) { return 0, false }
