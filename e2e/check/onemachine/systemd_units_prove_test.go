// Package onemachine tests the systemd units with systemd, the Caddyfile with Caddy, and the image
// and the compose file with a container engine.
package onemachine

import (
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

var units = []string{"verdetto.service", "verdetto-backup.service", "verdetto-backup-failed.service", "verdetto-backup.timer"}

func TestProveUnits(t *testing.T) {
	analyze := testenv.Command(t, "systemd-analyze", "apt-get install systemd")
	for _, unit := range units {
		file := fixture.Path(t, "infra", "onemachine", unit)
		out, _ := exec.Command(analyze, "verify", "--man=no", file).CombinedOutput()
		for line := range strings.Lines(string(out)) {
			if !strings.Contains(line, "Command verdetto is not executable") {
				t.Errorf("verify %s: %s", unit, line)
			}
		}
		if !strings.HasSuffix(unit, ".service") {
			continue
		}
		out, err := exec.Command(analyze, "security", "--no-pager", "--offline=yes", file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v %s", err, out)
		}
		found := regexp.MustCompile(`Overall exposure level for \S+: ([0-9.]+)`).FindSubmatch(out)
		if found == nil {
			t.Fatalf("%s", out)
		}
		level, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil || level > 1.5 {
			t.Errorf("%s: exposure %s of 10\n%s", unit, found[1], out)
		}
		t.Logf("%s: exposure %s of 10", unit, found[1])
	}
}
