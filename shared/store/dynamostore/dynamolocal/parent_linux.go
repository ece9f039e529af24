package dynamolocal

import (
	"os/exec"
	"syscall"
)

func diesWithParent(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
