//go:build !linux

package dynamolocal

import "os/exec"

// diesWithParent does nothing on this system. If a test is killed, DynamoDB Local keeps running:
// end it by hand.
func diesWithParent(*exec.Cmd) {}
