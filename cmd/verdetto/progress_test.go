package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestMeter(t *testing.T) {
	run := func(m *meter) {
		at := time.Unix(1000, 0)
		m.now = func() time.Time { return at }
		for done := 20; done <= 100; done += 10 {
			m.show(done, 100, "2026-01-05")
			at = at.Add(4 * time.Second)
		}
	}
	var bar, ended, none, log bytes.Buffer
	run(&meter{unit: "fares", terminal: &bar, ended: &ended, log: slog.New(slog.NewTextHandler(&none, nil))})
	lines := strings.Split(bar.String(), "\r\033[K")
	want := "[" + strings.Repeat("#", 15) + strings.Repeat(".", 15) +
		"] 50/100 fares, 2026-01-05, 2.5 a second, 20s left"
	if len(lines) != 9 || lines[3] != want || lines[8] != "" || none.Len() > 0 ||
		!strings.HasPrefix(ended.String(), "100 fares in ") {
		t.Errorf("%q and in the log %q, want %q", lines, &none, want)
	}
	run(&meter{unit: "fares", log: slog.New(slog.NewTextHandler(&log, nil))})
	lines = strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0],
		"done=50 of=100 unit=fares at=2026-01-05 perSecond=2.5 left=20s") {
		t.Errorf("%q", lines)
	}
}
