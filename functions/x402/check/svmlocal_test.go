package check

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/shared/architecture/testenv"
)

//go:embed network.mjs
var networkScript string

//go:embed client.mjs
var fetchClient string

//go:embed client.py
var httpxClient string

type tokenAccount struct {
	Owner   string `json:"owner"`
	Account string `json:"account"`
	Units   int64  `json:"units"`
}

type initialState struct {
	Mint     string           `json:"mint"`
	Accounts []tokenAccount   `json:"accounts"`
	Lamports map[string]int64 `json:"lamports"`
}

// network runs Solana's own runtime, with real signatures, blockhashes, compute budget and token
// program.
type network struct {
	URL string
	t   testing.TB
}

func openNetwork(t testing.TB, initial initialState) *network {
	t.Helper()
	state, err := json.Marshal(initial)
	if err != nil {
		t.Fatal(err)
	}
	command := node(t, "network.mjs", networkScript, string(state))
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	command.Stderr = &stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the network does not start: %v %s", err, &stderr)
	}
	return &network{strings.TrimSpace(url), t}
}

func node(t testing.TB, name, script string, args ...string) *exec.Cmd {
	t.Helper()
	folder := t.TempDir()
	if err := os.Symlink(testenv.Tool(t, "x402", "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	program := testenv.Tool(t, "mcp", "node_modules", "node", "bin", "node")
	return exec.CommandContext(t.Context(), program, append([]string{filepath.Join(folder, name)}, args...)...)
}

func (n *network) call(method string, params ...any) (json.RawMessage, error) {
	n.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		n.t.Fatal(err)
	}
	response, err := http.Post(n.URL, "application/json", bytes.NewReader(body))
	if err != nil {
		n.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		n.t.Fatal(err)
	}
	if answer.Error != nil {
		return nil, errors.New(answer.Error.Message)
	}
	return answer.Result, nil
}

// The method "hold" returns the units of a token account, and "lamports" the lamports of an address.
func (n *network) number(method, address string) (number int64) {
	n.t.Helper()
	answer, err := n.call(method, address)
	if err == nil {
		err = json.Unmarshal(answer, &number)
	}
	if err != nil {
		n.t.Fatal(err)
	}
	return number
}

// drain empties a token account between the simulation of the next transaction and its block.
func (n *network) drain(account string) {
	n.t.Helper()
	if _, err := n.call("drain", account); err != nil {
		n.t.Fatal(err)
	}
}

func (n *network) expire() {
	n.t.Helper()
	if _, err := n.call("expire"); err != nil {
		n.t.Fatal(err)
	}
}

// Each client takes a URL, a node and a key's seed in hex, and prints the last status, the header
// PAYMENT-RESPONSE and the body.
var clients = map[string]func(t testing.TB, args ...string) *exec.Cmd{
	"fetch, of npm": func(t testing.TB, args ...string) *exec.Cmd {
		return node(t, "client.mjs", fetchClient, args...)
	},
	"httpx, of PyPI": func(t testing.TB, args ...string) *exec.Cmd {
		return exec.CommandContext(t.Context(), testenv.Tool(t, "x402-python", "bin", "python"),
			append([]string{"-c", httpxClient}, args...)...)
	},
}

func run(t testing.TB, command *exec.Cmd) (status, header, body string) {
	t.Helper()
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	status, rest, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	header, body, _ = strings.Cut(rest, " ")
	return status, header, body
}
