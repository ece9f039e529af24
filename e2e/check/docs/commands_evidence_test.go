package docs

import "testing"

// TestEvidenceCommands runs the documented commands that run tests, such as make test with only Go
// installed.
func TestEvidenceCommands(t *testing.T) { runScenes(t, "evidence") }
