package docs

import "testing"

// TestProveCommands runs the slow documented commands: builds, and functions as Lambda runs them.
func TestProveCommands(t *testing.T) { runScenes(t, "prove") }
