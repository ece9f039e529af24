package docs

import "testing"

// TestEvidenceCommands runs the commands that run tests, make test with Go alone among them.
func TestEvidenceCommands(t *testing.T) { runScenes(t, "evidence") }
