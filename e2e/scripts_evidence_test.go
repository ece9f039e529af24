package e2e_test

import (
	"math/rand/v2"
	"testing"

	"verdetto/e2e/script"
)

// Each call of every story to the store, to mail, to Stripe, to the chain and to the source fails
// once, before and after its effect. In a further run, the process is killed at the call.
func TestEvidenceScripts_UnderFaults(t *testing.T) {
	for _, subject := range subjects(t) {
		script.Faults(t, 0, rand.New(rand.NewPCG(50, 1)), scripts(t, subject)...)
	}
}
