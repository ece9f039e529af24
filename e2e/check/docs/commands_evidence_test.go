package docs

import "testing"

func TestEvidenceCommands(t *testing.T) { runScenes(t, "evidence") }
