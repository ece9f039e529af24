package docs

import "testing"

// TestProveCommands runs the commands that take longer: builds, functions as Lambda runs them.
func TestProveCommands(t *testing.T) { runScenes(t, "prove") }
