package e2e_test

import (
	"math/rand/v2"
	"testing"

	"verdetto/e2e/script"
)

// Each call of a script to another service or to the store fails once before and once after its
// effect, and in further runs the process is killed there.
func TestEvidenceScripts_UnderFaults(t *testing.T) {
	for _, subject := range subjects(t) {
		script.Faults(t, 0, rand.New(rand.NewPCG(50, 1)), scripts(t, subject)...)
	}
}
