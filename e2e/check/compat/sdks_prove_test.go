package compat

import (
	"encoding/pem"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"verdetto/shared/architecture/testenv"
)

func TestProvePythonSDK(t *testing.T) {
	python := testenv.Tool(t, "sdks", "bin", "python3")
	driven(t, httptest.NewServer, func(_ *httptest.Server, port, key, word string) *exec.Cmd {
		return exec.CommandContext(t.Context(), python, filepath.Join("testdata", "ask.py"), port, key, word, day)
	})
}

// The SDK ignores its option ssl: false, so the test server uses TLS.
func TestProveNodeSDK(t *testing.T) {
	node := testenv.Command(t, "node", "apt-get install nodejs", "nodejs")
	sdk := testenv.Tool(t, "sdks", "node_modules", "amadeus")
	driven(t, httptest.NewTLSServer, func(s *httptest.Server, port, key, word string) *exec.Cmd {
		certificate := filepath.Join(t.TempDir(), "certificate.pem")
		if err := os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
			Bytes: s.Certificate().Raw}), 0o600); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), node, filepath.Join("testdata", "ask.js"), sdk, port, key, word,
			day)
		command.Env = append(os.Environ(), "NODE_EXTRA_CA_CERTS="+certificate)
		return command
	})
}
