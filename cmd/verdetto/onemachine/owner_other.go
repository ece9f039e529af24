//go:build !unix

package onemachine

// giveOwner does nothing: this system has no owners that root could set.
func giveOwner(string, string) error { return nil }
