package main

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestServeStoppedBeforeItBegan(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := execute(stopped, []string{"serve", "-listen", "127.0.0.1:0", "-upstream", "sample"}); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("a temporary folder is left behind: %v %v", left, err)
	}
}

func TestServeNeedsAFolderForMail(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := execute(stopped, []string{"serve", "-listen", "127.0.0.1:0", "-mail", ""}); err == nil || !strings.Contains(err.Error(), "-mail") {
		t.Errorf("error %v, want one about -mail", err)
	}
}
