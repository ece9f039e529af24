package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"verdetto/cmd/verdetto/settings"
)

func TestPepperMayReferToAParameter(t *testing.T) {
	t.Setenv("VERDETTO_PEPPER", "ssm:/verdetto/pepper")
	_, faults := settings.Take(pflag.NewFlagSet("", pflag.ContinueOnError), "")
	if len(faults) > 0 {
		t.Error(faults)
	}
}

func TestReadableSecretIsAFault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "verdetto.toml")
	err := os.WriteFile(file, []byte(`VERDETTO_PING = "https://check.example/{job}"`), 0o644)
	if err = errors.Join(err, os.Chmod(file, 0o644)); err != nil {
		t.Fatal(err)
	}
	_, faults := settings.Take(pflag.NewFlagSet("", pflag.ContinueOnError), file)
	if len(faults) != 1 || !strings.HasSuffix(faults[0], "chmod o-r "+file+", or put each into a file of its own, named by NAME_FILE") {
		t.Error(faults)
	}
}
