package cli

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		testenv.Missing(t, "root, to run a command as another user", "run the test as root")
	}
	t.Parallel()
	d := fixture.NewShell(t)
	s := d.Serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	program, err := os.ReadFile(fixture.Executable(t, "cmd/verdetto"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "verdetto")
	if err := os.WriteFile(file, program, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{d.Dir, filepath.Dir(d.Dir), filepath.Dir(file)} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := d.Command(t.Context(), "key", "create", "-store", "bolt:kept.db", "-email", "eve@example.com", "-now",
		"2016-03-01")
	c.Path = file
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "kept.db: permission denied") || strings.Contains(string(out),
		"vd_") {
		t.Errorf("another user made a key: %v\n%s", err, out)
	}
	s.End(t)
}
