//go:build !linux

package dynamolocal

import "os/exec"

// diesWithParent does nothing here: stop the process by hand if a test is killed.
func diesWithParent(*exec.Cmd) {}
