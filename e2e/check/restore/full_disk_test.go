package restore

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
)

func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("wants root, to mount a small disk")
	}
	d := fixture.NewShell(t)
	disk := filepath.Join(d.Dir, "disk")
	storetest.Must(t, os.Mkdir(disk, 0o700))
	if out, err := exec.Command(
		"mount", "-t", "tmpfs", "-o", "size=4m", "verdetto-test", disk,
	).CombinedOutput(); err != nil {
		t.Skipf("mount a small disk: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", disk).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	s := serve(t, d, "disk/kept.db")
	ballast, err := os.Create(filepath.Join(disk, "ballast"))
	storetest.Must(t, err)
	for err == nil {
		_, err = ballast.Write(make([]byte, 4096))
	}
	ballast.Close()
	ask := func(n int) int {
		status, err := post(
			s.URL+"/v1/alerts",
			map[string]any{"route": "MIL-BUH", "email": fmt.Sprintf("ada%d@example.com", n), "threshold": 1},
		)
		storetest.Must(t, err)
		return status
	}
	accepted := 0
	for accepted < 1000 && ask(accepted) == http.StatusAccepted {
		accepted++
	}
	if status := ask(accepted); status != http.StatusServiceUnavailable {
		t.Errorf("the disk is full, and a request for an alert is answered %d", status)
	}
	ready := http.StatusOK
	// /readyz is cached for 1 second, so the calls are repeated.
	for calls := 0; calls < 100_000 && ready == http.StatusOK; calls++ {
		response, err := http.Get(s.URL + "/readyz")
		storetest.Must(t, err)
		response.Body.Close()
		ready = response.StatusCode
	}
	if ready != http.StatusServiceUnavailable {
		t.Errorf("after %d requests for alerts the disk is full: /readyz answers %d", accepted, ready)
	}
	s.Kill(t)
	storetest.Must(t, os.Remove(filepath.Join(disk, "ballast")))
	s = serve(t, d, "disk/kept.db")
	if status := ask(accepted + 1); status != http.StatusAccepted {
		t.Errorf("with room again, a request for an alert: %d", status)
	}
	s.Stop(t)
	if got := d.Run("verify", "-store", "bolt:disk/kept.db"); got.Code != 0 {
		t.Error(got.Stderr)
	}
}
