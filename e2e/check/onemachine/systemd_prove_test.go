package onemachine

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

func TestProveSystemd(t *testing.T) {
	if _, err := os.Stat("/lib/systemd/systemd"); err != nil {
		testenv.Missing(t, "systemd", "apt-get install systemd")
	}
	if os.Getuid() != 0 {
		t.Skip("not run: only root can start a systemd of its own")
	}
	dir := t.TempDir()
	copyFiles(t, dir, map[string]string{
		fixture.Path(t, "infra/onemachine/verdetto.service"):        "verdetto.service",
		fixture.Path(t, "infra/onemachine/verdetto-backup.service"): "verdetto-backup.service",
		fixture.Path(t, "infra/onemachine/verdetto-backup.timer"):   "verdetto-backup.timer",
		fixture.Path(t, "infra/onemachine/verdetto.toml"):           "verdetto.toml",
		fixture.Executable(t, "cmd/verdetto"):                       "verdetto",
		"testdata/probe.sh":                                         "probe.sh",
	})
	script, err := filepath.Abs("testdata/systemd.sh")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	console, err := os.Create(filepath.Join(dir, "console"))
	if err != nil {
		t.Fatal(err)
	}
	defer console.Close()
	machine := exec.CommandContext(ctx, "bash", script, dir)
	machine.Stdout, machine.Stderr = console, console
	machine.SysProcAttr = &syscall.SysProcAttr{ // in a PID namespace, all processes end with the first process
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWUTS | syscall.CLONE_NEWIPC | syscall.CLONE_NEWNET | syscall.CLONE_NEWCGROUP,
	}
	if err := machine.Start(); err != nil {
		t.Skipf("not run: this is a container without privileges: %v", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = machine.Wait()
		close(ended)
	}()
	defer func() {
		_ = machine.Process.Kill()
		<-ended
	}()
	output, over := "", false
	for !over && !strings.HasSuffix(output, "end\n") {
		select {
		case <-ended:
			over = true
		case <-time.After(100 * time.Millisecond):
		}
		data, _ := os.ReadFile(filepath.Join(dir, "said"))
		output = string(data)
	}
	if over {
		text, _ := os.ReadFile(console.Name())
		if output == "" {
			t.Skipf("not run: systemd does not run here:\n%s", text)
		}
		t.Fatalf("it ended early:\n%s\n%s", output, text)
	}
	defer func() {
		if text, err := os.ReadFile(console.Name()); err == nil && t.Failed() {
			t.Logf("it said:\n%s\nand systemd:\n%s", output, text)
		}
	}()
	for _, want := range []string{
		"it is ready after start", "Uid: 64999 64999 64999 64999", "CapEff: 0000000000000000", "NoNewPrivs: 1",
		"Seccomp: 2", "drwx------",
		"well          yes", "it is ready after a kill", "backup done",
		"every page and item can be read", "\nactive\n", "stopped: success, 0", "bad settings are refused",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("it did not say %q", want)
		}
	}
}

func copyFiles(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for from, to := range files {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, to), data, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
