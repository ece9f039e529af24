package dynamolocal

import (
	"os/exec"
	"syscall"
)

// diesWithParent makes the kernel kill the started process when this process ends for any reason.
func diesWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
