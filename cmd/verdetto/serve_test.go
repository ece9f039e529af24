package main

import (
	"context"
	"os"
	"testing"
)

// TestServeStoppedBeforeItBegan: a process that is asked to end while it fills its store has not failed.
func TestServeStoppedBeforeItBegan(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := runServe(stopped, []string{"-listen", "127.0.0.1:0"}); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("a temporary folder is left behind: %v %v", left, err)
	}
}
