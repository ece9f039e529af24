package settings_test

import (
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
