package docs

import "testing"

// TestEvidenceCommands runs the commands that run tests, among them make test with only Go
// installed.
func TestEvidenceCommands(t *testing.T) { runScenes(t, "evidence") }
