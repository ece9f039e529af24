package verdict

import (
	"testing"
	"time"

	"verdetto/e2e/fixture"
)

// RssAnon does not count pages of the store file, which the kernel can reclaim.
func TestProveMemoryOfAFirstStart(t *testing.T) {
	d := fixture.NewShell(t)
	begun := time.Now()
	s := started(t, t.Context(), d, "-store", "bolt:first.db", "-upstream", "sample")
	t.Logf("the first answer after %.0f s; %d MB of its own at most, %d MB with the pages of the file",
		time.Since(begun).Seconds(), s.most["RssAnon"]>>10, s.most["VmHWM"]>>10)
	if s.most["RssAnon"] > 260<<10 {
		t.Errorf("%d MB", s.most["RssAnon"]>>10)
	}
}
