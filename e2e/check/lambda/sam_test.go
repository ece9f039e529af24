package lambda

import (
	"io"
	"testing"

	"verdetto/cmd/lambdalocal/samlocal"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

func withSAM(t *testing.T, test func(t *testing.T, local *samlocal.Local)) {
	t.Helper()
	testenv.Tool(t, "sam")
	testenv.Command(t, "node", "apt-get install nodejs")
	var local *samlocal.Local
	fixture.WithEngine(t, func() (err error) {
		local, err = samlocal.Open(t.Context(), fixture.Path(t, "infra", "cdk", "example.json"), io.Discard)
		return err
	}, func() {
		defer func() {
			if err := local.Close(); err != nil {
				t.Error(err)
			}
		}()
		test(t, local)
	})
}
