package cli

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
)

// A service must not show the fares of another source as fares of its own source.
func TestAStoreOfAnotherSourceIsRefused(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Env = []string{"VERDETTO_ORIGINS=MIL"}
	real := []string{"-upstream", "travelpayouts"}
	invented, recorded := []string{"-upstream", "sample"}, []string{"-upstream", "csv:good.csv", "-now", "2016-03-01"}
	for _, c := range []struct {
		first  []string
		second [][]string
	}{{invented, [][]string{real, recorded}}, {recorded, [][]string{real, invented}}} {
		d.Want(0, "", append([]string{"refresh", "-store", "bolt:kept.db"}, c.first...)...)
		for _, second := range c.second {
			for _, command := range []string{"serve", "refresh"} {
				refused(t, d, append([]string{command, "-store", "bolt:kept.db"}, second...)...)
			}
		}
		before := d.Files()
		refused(t, d, "init", "-store", "bolt:kept.db")
		if !maps.Equal(before, d.Files()) {
			t.Error("init changed the store that it refused")
		}
		if err := os.Remove(d.Dir + "/kept.db"); err != nil {
			t.Fatal(err)
		}
	}
}

func refused(t *testing.T, d fixture.Shell, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c := d.Command(ctx, args...)
	if args[0] == "serve" {
		c.Args = append(c.Args, "-listen", "127.0.0.1:0")
	}
	c.Env = append(c.Env, "TRAVELPAYOUTS_TOKEN=0123456789abcdef", "TRAVELPAYOUTS_URL=http://127.0.0.1:1")
	output, err := c.CombinedOutput()
	if _, exited := err.(*exec.ExitError); !exited || ctx.Err() != nil || !strings.Contains(string(output),
		"the store holds fares of another source") {
		t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, output)
	}
}
