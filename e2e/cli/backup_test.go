package cli

import (
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
)

func TestBackup(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	first := d.Serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	verdict := answerOf(t, first.URL)

	stop, asked := make(chan struct{}), make(chan int)
	go func() { // counted calls write to the store
		n := 0
		for ; ; n++ {
			select {
			case <-stop:
				asked <- n
				return
			default:
				if response, err := http.Get(first.URL + "/v1/rotte"); err == nil {
					response.Body.Close()
				}
			}
		}
	}()
	got := d.Want(0, "", "backup", "-store", "bolt:kept.db", "-to", "copy.db")
	fixture.Has(t, "stdout", got.Stdout, "copy.db", "bytes", "restore -from copy.db -store bolt:kept.db")
	close(stop)
	if n := <-asked; n == 0 {
		t.Error("no call was made meanwhile")
	}
	d.Want(1, "choose another name", "backup", "-store", "bolt:kept.db", "-to", "copy.db")
	if info, err := os.Stat(filepath.Join(d.Dir, "copy.db")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v %v", info, err)
	}
	first.End(t)
	was, is := fixture.Items(t, filepath.Join(d.Dir, "kept.db")), fixture.Items(t, filepath.Join(d.Dir, "copy.db"))
	if len(was) < 3 {
		t.Errorf("the store holds only %d items", len(was))
	}
	if diff := cmp.Diff(was, is); diff != "" {
		t.Errorf("the copy differs:\n%s", diff)
	}

	again := d.Serve("-store", "bolt:copy.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	if diff := cmp.Diff(verdict, answerOf(t, again.URL)); diff != "" {
		t.Errorf("the service that was restored answers otherwise:\n%s", diff)
	}
	// A killed process leaves its socket file behind. The next backup must open the store file.
	again.End(t)
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(d.Dir, "copy.db.socket")})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	d.Want(0, "", "backup", "-store", "bolt:copy.db", "-to", "second.db")
	if diff := cmp.Diff(fixture.Items(t, filepath.Join(d.Dir, "copy.db")), fixture.Items(t, filepath.Join(d.Dir, "second.db"))); diff != "" {
		t.Errorf("of a store that no process serves: %s", diff)
	}
	if err := os.Remove(filepath.Join(d.Dir, "copy.db.socket")); err != nil {
		t.Error(err)
	}
	folder := filepath.Join(d.Dir, "backups")
	old, recent := filepath.Join(folder, "verdetto-20000101T030000Z.db"), filepath.Join(folder, "verdetto-notes.db")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(old, nil, 0o600), os.WriteFile(recent, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	d.Write("settings.toml", "VERDETTO_BACKUPS = \"backups\"\nVERDETTO_STORE = \"bolt:copy.db\"\n")
	d.Want(0, "", "backup", "-config", "settings.toml")
	status := d.Want(0, "", "status", "-config", "settings.toml")
	fixture.Has(t, "stdout", status.Stdout, "last backup   0 hours ago")
	kept, err := filepath.Glob(filepath.Join(folder, "verdetto-2*Z.db"))
	if err != nil || len(kept) != 1 || kept[0] == old {
		t.Errorf("kept %v: %v", kept, err)
	}
	if _, err := os.Stat(recent); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ name, store, says string }{
		{"not there", "bolt:absent.db", "no such file"},
		{"not a store", "bolt:good.csv", "not a store"},
	} {
		d.Want(1, c.says, "backup", "-store", c.store, "-to", "third.db")
	}
	for name := range d.Files() {
		if strings.Contains(name, ".part-") || name == "third.db" {
			t.Errorf("left: %s", name)
		}
	}
}

func answerOf(t *testing.T, url string) string {
	t.Helper()
	status, _, body := get(t, url+fixture.Question)
	if status != http.StatusOK {
		t.Fatal(status, body)
	}
	return body
}
