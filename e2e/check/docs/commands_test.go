// Package docs runs the commands of the documents. testdata/commands.toml lists the commands.
package docs

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/BurntSushi/toml"

	"verdetto/cmd/lambdalocal/samlocal"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

type commandTable struct {
	Scenes []scene           `toml:"scene"`
	NotRun map[string]string `toml:"not-run"`
}

// Each scene runs in a fresh copy of the repository.
type scene struct {
	Name, Tier      string
	Programs, Tools []string // required programs of the system, and required folders below .tools
	Engine          bool
	Given           string // shell commands that prepare what the document assumes
	Path            string // if not empty, the PATH of the commands: a folder in the copy of the repository
	Commands        []documented
}

type documented struct {
	Run    string // a command, or a prefix of commands with * at its end
	Exit   int
	Line   string // expected output, in which … matches any text
	Serves bool   // the command runs in the background
}

func readCommands(t *testing.T) (table commandTable) {
	t.Helper()
	meta, err := toml.DecodeFile(filepath.Join("testdata", "commands.toml"), &table)
	if err != nil || len(meta.Undecoded()) > 0 {
		t.Fatal(err, meta.Undecoded())
	}
	return table
}

var (
	block      = regexp.MustCompile("(?s)\n```[a-z]*\n(.*?)\n```")
	span       = regexp.MustCompile("`([^`\n]+)`")
	fence      = regexp.MustCompile("(?s)\n```([a-z]*)\n(.*?)\n```")
	begins     = regexp.MustCompile(`^(?:[A-Z_]+=\S+ )*(?:aws|curl|docker|git|go|journalctl|make|node|npm|npx|openssl|pip|python3?|sam|systemctl|verdetto) \S|^\.ci/\w+$`)
	helped     = regexp.MustCompile(`(?m)^([a-z-]+):.*## (.*)$`)
	optional   = regexp.MustCompile(`\[[^]]*\]`)
	assignment = regexp.MustCompile(`\b[A-Z]+=[^\s,;]+`)
)

func commandsOf(t *testing.T, text string) (commands []string) {
	t.Helper()
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		if m[1] == "" { // a block that names a language holds no commands
			commands = append(commands, statements(t, m[2]+"\n")...)
		}
	}
	for _, m := range span.FindAllStringSubmatch(block.ReplaceAllString(text, ""), -1) {
		if begins.MatchString(m[1]) {
			commands = append(commands, m[1])
		}
	}
	return commands
}

func statements(t *testing.T, script string) (list []string) {
	t.Helper()
	var statement string
	for line := range strings.Lines(script) {
		statement += line
		check := exec.CommandContext(t.Context(), "bash", "-n")
		check.Stdin = strings.NewReader(statement)
		if out, err := check.CombinedOutput(); err == nil && len(out) == 0 && !strings.HasSuffix(statement, "\\\n") {
			list = append(list, strings.TrimSuffix(statement, "\n"))
			statement = ""
		}
	}
	if statement != "" {
		t.Errorf("bash cannot read this; a block that holds no commands names its language:\n%s", statement)
	}
	return list
}

func helpOf(makefile string) (commands []string) {
	for _, m := range helped.FindAllStringSubmatch(makefile, -1) {
		commands = append(commands, "make "+m[1])
		if values := assignment.FindAllString(optional.ReplaceAllString(m[2], ""), -1); values != nil {
			commands = append(commands, "make "+m[1]+" "+strings.Join(values, " "))
		}
	}
	return commands
}

func allCommands(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for path, text := range fixture.Documents(t) {
		for _, command := range commandsOf(t, text) {
			all[command] = append(all[command], path)
		}
	}
	makefile, err := os.ReadFile(fixture.Path(t, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range helpOf(string(makefile)) {
		all[command] = append(all[command], "Makefile")
	}
	return all
}

func matches(row, command string) bool {
	beginning, open := strings.CutSuffix(row, "*")
	return row == command || open && strings.HasPrefix(command, beginning)
}

func TestCommandsAreKnown(t *testing.T) {
	table, all := readCommands(t), allCommands(t)
	rows := map[string]int{}
	for _, s := range table.Scenes {
		for _, c := range s.Commands {
			rows[c.Run] = 0
		}
	}
	for row, reason := range table.NotRun {
		if _, runs := rows[row]; runs || reason == "" {
			t.Errorf("%s: it is run as well, or no reason says why it is not", row)
		}
		rows[row] = 0
	}
	for command, where := range all {
		row := ownRow(rows, command)
		if row == "" {
			t.Errorf("%s has a command that testdata/commands.toml lacks; add it to a scene, or to not-run with a "+
				"reason:\n%s", slices.Sorted(slices.Values(where))[0], command)
			continue
		}
		rows[row]++
	}
	for row, n := range rows {
		if n == 0 {
			t.Errorf("testdata/commands.toml has a command that no document has any more: %s", row)
		}
	}
	if len(all) < 100 {
		t.Errorf("only %d commands were found", len(all))
	}
}

// ownRow prefers an exact row to any prefix, and a longer prefix to a shorter one.
func ownRow(rows map[string]int, command string) (found string) {
	for row := range rows {
		if matches(row, command) && (row == command || found != command && len(row) > len(found)) {
			found = row
		}
	}
	return found
}

// The environment variable ownNetwork is set in a test process with its own network.
const ownNetwork = "VERDETTO_DOCS_NETWORK"

func TestCommands(t *testing.T) {
	unshare := []string{"unshare", "--net"}
	if os.Getuid() != 0 {
		unshare = append(unshare, "--map-root-user")
	}
	unshare = append(unshare, "sh", "-c", `ip link set lo up && exec "$@"`, "sh")
	if os.Getenv(ownNetwork) != "" || exec.Command(unshare[0], append(unshare[1:], "true")...).Run() != nil {
		runScenes(t, "quick")
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := "^TestCommands$"
	if _, scene, found := strings.Cut(flag.Lookup("test.run").Value.String(), "/"); found {
		run += "/" + scene
	}
	command := exec.CommandContext(t.Context(), unshare[0], append(unshare[1:], self, "-test.run="+run, "-test.v",
		"-test.timeout=20m")...)
	command.Env = append(os.Environ(), ownNetwork+"=1")
	out, err := command.CombinedOutput()
	switch {
	case err != nil:
		t.Fatalf("in a network of its own: %v\n%s", err, out)
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skipf("not all were run:\n%s", out)
	}
}

func TestSlowCommands(t *testing.T) { runScenes(t, "slow") }

func runScenes(t *testing.T, tier string) {
	table, all := readCommands(t), allCommands(t)
	rows := map[string]int{}
	for _, s := range table.Scenes {
		for _, c := range s.Commands {
			rows[c.Run] = 0
		}
	}
	for row := range table.NotRun {
		rows[row] = 0
	}
	for _, s := range table.Scenes {
		if s.Tier != tier {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			for _, name := range s.Programs {
				testenv.Command(t, name, "apt-get install "+name)
			}
			for _, name := range s.Tools {
				testenv.Tool(t, name)
			}
			if l, err := net.Listen("tcp", "127.0.0.1:8080"); err != nil {
				testenv.Missing(t, "the address 127.0.0.1:8080", "stop what answers there")
			} else {
				l.Close()
			}
			if s.Engine && !samlocal.Reachable(t.Context()) {
				if _, err := samlocal.Within(t.Context(), "true"); err != nil {
					t.Skipf("not run: %v", err)
				}
			}
			v := newVisitor(t)
			if s.Given != "" {
				if code, line := v.run(t, "set -e; "+s.Given); code != 0 {
					t.Fatalf("%d %s", code, line)
				}
			}
			if s.Path != "" {
				v.env = append(v.env, "PATH="+filepath.Join(v.dir, s.Path))
			}
			for _, c := range s.Commands {
				if c.Serves {
					v.serve(t, c)
					continue
				}
				for _, command := range slices.Sorted(maps.Keys(all)) {
					if ownRow(rows, command) != c.Run {
						continue
					}
					if code, line := v.run(t, command); code != c.Exit || !fits(c.Line, line) {
						t.Errorf("%s\n\texit status %d: %s\nwant\t            %d: %s", command, code, line, c.Exit,
							c.Line)
					}
				}
			}
			v.stop()
		})
	}
}

func fits(want, line string) bool {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(want), "…", ".*") + "$").MatchString(line)
}

type visitor struct {
	dir  string
	env  []string
	stop func()
}

func newVisitor(t *testing.T) *visitor {
	t.Helper()
	v := &visitor{dir: t.TempDir(), stop: func() {}}
	t.Cleanup(func() { v.stop() })
	// The copy keeps modification times, because make compares files of the copy with .tools.
	copied := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c",
		`tar -C "$1" --exclude=./.git --exclude=./.tools --exclude=./dist --exclude=./cdk.out `+
			`--exclude='*.db' --exclude=./mail --exclude=./verdetto.json -cf - . | tar -C "$2" -xf -; [ ! -e "$1/.tools" ] || ln -s "$(realpath "$1/.tools")" "$2/.tools"`, "copy", fixture.Path(t), v.dir)
	if out, err := copied.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if slices.Contains([]string{"CGO_ENABLED", "CI", "HOME", "LANG", "TMPDIR", "VERDETTO_DATA"}, name) ||
			strings.HasPrefix(name, "GO") && name != "GOFLAGS" {
			v.env = append(v.env, entry)
		}
	}
	v.env = append(v.env, "PATH="+filepath.Dir(fixture.Executable(t, "cmd/verdetto"))+":"+os.Getenv("PATH"),
		"GOFLAGS=-trimpath",  // lets copies of the tree share the build cache
		"MAKEFLAGS=--silent") // otherwise make prints each command first
	return v
}

func (v *visitor) command(t *testing.T, text string) *exec.Cmd {
	c := exec.CommandContext(t.Context(), "bash", "-c", text)
	c.Dir, c.Env = v.dir, v.env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGINT) }
	return c
}

// The result line is the first line of standard output or, if standard output is empty, of standard
// error.
func (v *visitor) run(t *testing.T, text string) (code int, line string) {
	t.Helper()
	c := v.command(t, text)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	line, _, _ = strings.Cut(strings.TrimSpace(cmp.Or(strings.TrimSpace(stdout.String()), stderr.String())), "\n")
	return c.ProcessState.ExitCode(), line
}

func (v *visitor) serve(t *testing.T, row documented) {
	t.Helper()
	v.stop()
	c := v.command(t, row.Run)
	var stderr fixture.Log
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	v.stop = sync.OnceFunc(func() {
		_ = c.Cancel()
		_, _ = io.Copy(io.Discard, out)
		_ = c.Wait() // make reports the interrupt as a failure
	})
	first, answers := "", false
	for lines := bufio.NewScanner(out); !answers && lines.Scan(); {
		first, answers = cmp.Or(first, strings.TrimSpace(lines.Text())),
			strings.Contains(lines.Text(), "answering on http://127.0.0.1:8080") ||
				strings.HasPrefix(lines.Text(), "  http://127.0.0.1:") // the address of the set-up page
	}
	if !answers || !fits(row.Line, first) {
		t.Errorf("%s: answers %t, begins with %q, want %q\n%s", row.Run, answers, first, row.Line, &stderr)
	}
}
