package cli

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"verdetto/e2e/fixture"
)

func TestPartsOfKilledCommandsAreSwept(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Write("panel.csv", fixture.Panel([]string{"MIL,LIS"}, 10, 3))
	d.Want(0, "", "import", "panel.csv", "-store", "bolt:kept.db", "-now", "2016-03-01")
	d.Want(0, "", "backup", "-store", "bolt:kept.db", "-to", "copy.db")
	left := []string{"kept.db.verdetto.part-17", "other.db.verdetto.part-18"}
	others := []string{"archive.part-001", "kept.db.verdetto.part-17.txt", "kept.db.verdetto.part-x", "target",
		"locked.verdetto.part-19"}
	for _, command := range []string{
		"backup -store bolt:kept.db -to again.db", "restore -store bolt:kept.db -from copy.db",
		"import panel.csv -store bolt:kept.db -now 2016-03-01",
	} {
		for _, name := range append(left, others...) {
			d.Write(name, "ada@example.com")
		}
		if err := os.Symlink("target", filepath.Join(d.Dir, "link.verdetto.part-20")); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
		locked, err := os.Open(filepath.Join(d.Dir, "locked.verdetto.part-19"))
		if err == nil {
			err = syscall.Flock(int(locked.Fd()), syscall.LOCK_SH)
		}
		if err != nil {
			t.Fatal(err)
		}
		d.Want(0, "", strings.Fields(command)...)
		locked.Close()
		for _, name := range left {
			if _, err := os.Lstat(filepath.Join(d.Dir, name)); !os.IsNotExist(err) {
				t.Errorf("%s: %s is still there", command, name)
			}
		}
		for _, name := range append(others, "link.verdetto.part-20") {
			if _, err := os.Lstat(filepath.Join(d.Dir, name)); err != nil {
				t.Errorf("%s: %v", command, err)
			}
		}
	}
}

func TestImportEndsBySignal(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	pipe := filepath.Join(d.Dir, "panel.csv")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		c := d.Command(t.Context(), "import", "panel.csv", "-store", "bolt:kept.db", "-now", "2016-03-01")
		var errors strings.Builder
		c.Stderr = &errors
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // succeeds as soon as the import has opened the pipe
		if err == nil {
			_, err = io.WriteString(w, "origin,destination,observed_date,depart_date,price,currency\n")
		}
		if err == nil {
			err = c.Process.Signal(signal)
		}
		if err != nil {
			t.Fatal(err)
		}
		_ = c.Wait()
		w.Close()
		if code := c.ProcessState.ExitCode(); code != 1 || !strings.Contains(errors.String(), "the same command continues") {
			t.Errorf("%v: exit code %d, %s", signal, code, errors.String())
		}
	}
}
