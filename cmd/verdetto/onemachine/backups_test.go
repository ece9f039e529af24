package onemachine

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/shared/runtime/config"
)

func TestLookAtBackup(t *testing.T) {
	now := time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name                string
		begun, made, failed int // hours ago; 0 means never
		says                string
	}{
		{"a new service", 1, 0, 0, ""},
		{"none for two nights", 49, 0, 0, "there is none in"},
		{"last night's", 500, 4, 0, ""},
		{"an old one", 500, 50, 0, "is of 18 November 2026, 04:00 UTC"},
		{"a failure tonight", 500, 28, 4, "the backup of 20 November 2026, 02:00 UTC failed"},
		{"a failure, and none before", 1, 0, 4, "the backup of 20 November 2026, 02:00 UTC failed"},
		{"a failure, and a good one since", 500, 3, 4, ""},
	} {
		folder := t.TempDir()
		ago := func(hours int) time.Time { return now.Add(-time.Duration(hours) * time.Hour) }
		for file, hours := range map[string]int{BackupIn(folder, ago(c.made)): c.made, filepath.Join(folder, "failed"): c.failed} {
			if hours == 0 {
				continue
			}
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, ago(hours), ago(hours)); err != nil {
				t.Fatal(err)
			}
		}
		o := Options{Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler), Monitor: monitor.New(),
			OneMachine: config.OneMachine{Backups: folder}}
		made := o.lookAtBackup(ago(c.begun))
		troubles := o.Monitor.Troubles()
		if (len(troubles) == 0) != (c.says == "") || len(troubles) > 0 && !strings.Contains(troubles[0].Error, c.says) {
			t.Errorf("%s: %+v, want %q", c.name, troubles, c.says)
		}
		if made.IsZero() != (c.made == 0) || c.made > 0 && !made.Equal(ago(c.made)) {
			t.Errorf("%s: the newest was made at %v", c.name, made)
		}
	}
}
