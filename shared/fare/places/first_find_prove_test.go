package places

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

const firstFindEnv = "PLACES_TIME_FIRST_FIND"

func TestMain(m *testing.M) {
	if os.Getenv(firstFindEnv) != "" {
		start := time.Now()
		p, ok := Find("Francoforte")
		fmt.Println(time.Since(start).Nanoseconds(), p.City, ok)
		return
	}
	os.Exit(m.Run())
}

func TestProveFirstFind(t *testing.T) {
	best := firstFind(t)
	for range 4 { // other processes can only add time, so the best of five counts
		best = min(best, firstFind(t))
	}
	if best > 2*time.Millisecond {
		t.Errorf("the first Find of a process takes %v, want under 2 ms", best)
	}
}

func firstFind(t testing.TB) time.Duration {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), firstFindEnv+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("run the test again: %v", err)
	}
	var ns int64
	var city string
	var ok bool
	if _, err := fmt.Sscan(string(out), &ns, &city, &ok); err != nil || city != "FRA" || !ok {
		t.Fatalf("the first Find says %q: %v", out, err)
	}
	return time.Duration(ns)
}
