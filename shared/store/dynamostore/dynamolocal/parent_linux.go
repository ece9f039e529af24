package dynamolocal

import (
	"os/exec"
	"syscall"
)

// diesWithParent has the kernel end the process when this one ends, however it ends.
func diesWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
