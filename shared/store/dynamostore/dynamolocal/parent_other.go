//go:build !linux

package dynamolocal

import "os/exec"

// On this system, DynamoDB Local keeps running if a test is killed.
func diesWithParent(*exec.Cmd) {}
