package e2e_test

import (
	"math/rand/v2"
	"testing"

	"verdetto/e2e/script"
)

func TestEvidenceScripts_UnderFaults(t *testing.T) {
	for _, subject := range subjects(t) {
		script.Faults(t, 0, rand.New(rand.NewPCG(50, 1)), scripts(t, subject)...)
	}
}
