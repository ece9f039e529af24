package e2e_test

import (
	"math/rand/v2"
	"testing"

	"verdetto/e2e/script"
)

// Each call of a story to the store, mail, ntfy, Stripe, the chain or the source fails, in one run
// before and in another after its effect. In further runs the process is killed there instead.
func TestEvidenceScripts_UnderFaults(t *testing.T) {
	for _, subject := range subjects(t) {
		script.Faults(t, 0, rand.New(rand.NewPCG(50, 1)), scripts(t, subject)...)
	}
}
