//go:build !linux

package dynamolocal

import "os/exec"

// diesWithParent cannot be had here: stop the process by hand if a test is killed.
func diesWithParent(*exec.Cmd) {}
