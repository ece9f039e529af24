package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/shared/store/boltstore"
)

// These tests run the commands as people do.

// shell is a folder to run commands in.
type shell struct {
	t   *testing.T
	dir string
	tmp string // where commands put what they throw away
}

func newShell(t *testing.T) shell {
	t.Helper()
	s := shell{t, t.TempDir(), t.TempDir()}
	s.write("good.csv", header+"MIL,BUH,2016-02-25,2016-03-20,30.00,EUR\nMIL,BUH,2016-02-27,2016-03-22,29.99,EUR\n")
	return s
}

const header = "origin,destination,observed_date,depart_date,price,currency\n"

func (s shell) write(name, content string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// files is what lies in the folder, by name.
func (s shell) files() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			found[e.Name()] = "a folder"
			continue
		}
		data, err := os.ReadFile(filepath.Join(s.dir, e.Name()))
		if err != nil {
			s.t.Fatal(err)
		}
		found[e.Name()] = string(data)
	}
	return found
}

// command is the built command line, to be run in the folder with nothing of our environment.
func (s shell) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, built(s.t, "infra/local"), args...)
	c.Dir, c.Env = s.dir, []string{"TMPDIR=" + s.tmp, "PATH=" + os.Getenv("PATH")}
	return c
}

// result is how a command ended and what it said.
type result struct {
	code           int
	stdout, stderr string
}

func (s shell) run(args ...string) result {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	c := s.command(ctx, args...)
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		s.t.Fatal(err)
	}
	s.leftNothing()
	return result{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// leftNothing: what a command makes for itself is gone when it has ended.
func (s shell) leftNothing() {
	s.t.Helper()
	if left, err := os.ReadDir(s.tmp); err != nil || len(left) > 0 {
		s.t.Errorf("a temporary folder is left behind: %v %v", left, err)
	}
}

// has checks for each of several texts.
func has(t *testing.T, what, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q:\n%s", what, w, text)
		}
	}
}

func TestHelp(t *testing.T) {
	d := newShell(t)
	for _, c := range commands {
		t.Run(c.name, func(t *testing.T) {
			args := []string{c.name, "-help"}
			if c.name == "key" {
				args = []string{c.name, "create", "-help"}
			}
			got := d.run(args...)
			if got.code != 0 {
				t.Errorf("exit code %d", got.code)
			}
			has(t, "help", got.stdout+got.stderr, "Usage of "+c.name, "\n  -")
		})
	}
	for _, args := range [][]string{{"help"}, {"-help"}, {"--help"}, {"-h"}} {
		got := d.run(args...)
		if got.code != 0 || got.stderr != "" {
			t.Errorf("%v: exit code %d, and on stderr %q", args, got.code, got.stderr)
		}
		for _, c := range commands {
			has(t, "help", got.stdout, c.name, c.does)
		}
	}
}

// TestRefused runs commands that cannot be carried out: each says why and what
// to do, makes no file and changes none.
func TestRefused(t *testing.T) {
	d := newShell(t)
	d.write("empty.csv", "")
	d.write("headless.csv", "MIL,BUH,2016-02-25,2016-03-20,30.00,EUR\n")
	d.write("narrow.csv", "origin,destination,price\nMIL,BUH,30.00\n")
	d.write("twice.csv", "origin,"+header)
	d.write("cut.csv.gz", gzipped(t, header)[:15])
	d.write("text.db", "These are my notes, not a store.\n")
	held, err := boltstore.Open(filepath.Join(d.dir, "held.db"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if got := d.run("refresh", "-store", "bolt:of-panel.db", "-upstream", "csv:good.csv", "-now", "2016-03-01"); got.code != 0 {
		t.Fatal(got)
	}
	before := d.files()
	for _, c := range []struct {
		name string
		args string
		code int
		says []string
	}{
		{"no command", "", 2, []string{"usage:", "serve", "refresh", "invoke"}},
		{"unknown command", "fetch", 2, []string{`no command "fetch"`, "usage:", "refresh"}},
		{"unknown flag", "refresh -nosuch", 2, []string{"-nosuch", "-upstream"}},
		{"argument left over", "refresh -store bolt:new.db more", 2, []string{`"more"`, "-help"}},
		{"argument left over for serve", "serve more", 2, []string{`"more"`, "-help"}},
		{"no store", "refresh", 1, []string{"-store"}},
		{"unknown store", "refresh -store mysql:new", 1, []string{`"mysql:new"`, "bolt:FILE", "dynamodb:TABLE"}},
		{"store without a name", "refresh -store bolt:", 1, []string{`"bolt:"`, "bolt:FILE"}},
		{"store in no folder", "refresh -store bolt:nowhere/new.db", 1, []string{"nowhere/new.db", "no such file or directory"}},
		{"folder as a store", "refresh -store bolt:.", 1, []string{"is a directory"}},
		{"text as a store", "refresh -store bolt:text.db", 1, []string{"text.db", "not a store", "nothing was changed"}},
		{"text as a store to serve", "serve -listen 127.0.0.1:0 -store bolt:text.db", 1, []string{"text.db", "not a store", "nothing was changed"}},
		{"store in use", "refresh -store bolt:held.db", 1, []string{"held.db", "another process"}},
		{"store of another source", "refresh -store bolt:of-panel.db -upstream sample -now 2016-03-01", 1, []string{`"csv"`, `"sample"`, "use another store"}},
		{"unknown source", "refresh -store bolt:new.db -upstream amadeus", 1, []string{`"amadeus"`, "sample", "csv:FILE", "travelpayouts"}},
		{"unknown source to serve", "serve -listen 127.0.0.1:0 -upstream amadeus", 1, []string{`"amadeus"`, "sample", "csv:FILE", "travelpayouts"}},
		{"panel without a name", "refresh -store bolt:new.db -upstream csv:", 1, []string{"csv:FILE"}},
		{"real source without a token", "refresh -store bolt:new.db -upstream travelpayouts", 1, []string{"TRAVELPAYOUTS_TOKEN"}},
		{"no such panel", "refresh -store bolt:new.db -upstream csv:nowhere.csv", 1, []string{"nowhere.csv", "no such file"}},
		{"folder as a panel", "refresh -store bolt:new.db -upstream csv:.", 1, []string{"is a directory"}},
		{"empty panel", "refresh -store bolt:new.db -upstream csv:empty.csv", 1, []string{"empty.csv", "empty file", "want a header with origin"}},
		{"panel without a header", "refresh -store bolt:new.db -upstream csv:headless.csv", 1, []string{"headless.csv", "header lacks origin"}},
		{"panel without columns", "refresh -store bolt:new.db -upstream csv:narrow.csv", 1, []string{"header lacks observed_date, depart_date, currency: want origin"}},
		{"panel with a column twice", "refresh -store bolt:new.db -upstream csv:twice.csv", 1, []string{"names origin twice"}},
		{"panel cut in its header", "refresh -store bolt:new.db -upstream csv:cut.csv.gz", 1, []string{"cut.csv.gz", "unexpected EOF"}},
		{"clock that is none", "refresh -store bolt:new.db -now yesterday", 1, []string{`"yesterday"`, "RFC 3339", "2016-03-01"}},
		{"clock to serve that is none", "serve -listen 127.0.0.1:0 -now 2016-02-30", 1, []string{`"2016-02-30"`, "RFC 3339"}},
		{"unknown origin", "refresh -store bolt:new.db -origins MIL,QQQ", 1, []string{`"QQQ"`, "IATA code"}},
		{"city name as an origin", "refresh -store bolt:new.db -origins Milano", 1, []string{`"Milano"`, "IATA code"}},
		{"address that is none", "serve -listen nowhere", 1, []string{"nowhere", "-listen"}},
		{"nothing to invoke", "invoke", 1, []string{"-exec", "-event", "make invoke"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := d.run(strings.Fields(c.args)...)
			if got.code != c.code {
				t.Errorf("exit code %d, want %d; stdout:\n%s", got.code, c.code, got.stdout)
			}
			has(t, "stderr", got.stderr, c.says...)
			if strings.Contains(got.stderr, "panic") || strings.Contains(got.stderr, "goroutine") {
				t.Errorf("a stack is told: %s", got.stderr)
			}
			for name, content := range d.files() {
				if before[name] != content {
					t.Errorf("%s was made or changed", name)
				}
			}
		})
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPanelWithFaults loads what can be read, says what cannot, and ends with 3.
func TestPanelWithFaults(t *testing.T) {
	var many strings.Builder
	many.WriteString(header)
	for i := range 3000 {
		fmt.Fprintf(&many, "MIL,BUH,2016-02-%02d,2016-04-%02d,%d.%02d,EUR\n", 1+i%28, 1+i%30, 20+i%61, i%100)
	}
	zipped := gzipped(t, many.String())
	for _, c := range []struct {
		name, file, panel string
		says              []string
	}{
		{"bad rows", "panel.csv", header +
			"MIL,BUH,2016-02-25,2016-03-20,30.00,EUR\n" +
			"MIL,BUH,2016-02-2x,2016-03-20,30.00,EUR\n" +
			"MIL,BUH,2016-02-26,2016-03-21,dear,EUR\n" +
			"MIL,BUH,2016-02-26\n" +
			"MIL,BUH,2016-02-27,2016-03-22,29.99,EUR\n",
			[]string{"5 rows, 2 fares", `line 3: observed_date: day "2016-02-2x"`, `line 4: price "dear": want a decimal number`, "line 5: 3 fields, want 6", "2 new"}},
		{"more bad rows than are told", "panel.csv", header + strings.Repeat("?\n", 100) + "MIL,BUH,2016-02-27,2016-03-22,29.99,EUR\n",
			[]string{"101 rows, 1 fares", "line 2: 1 fields", "and 80 more bad rows", "1 new"}},
		{"gzip cut short", "panel.csv.gz", zipped[:len(zipped)/2], []string{"fault", "after line ", "unexpected EOF", "the rows before it are loaded", "1 seen, 1 changed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newShell(t)
			d.write(c.file, c.panel)
			got := d.run("refresh", "-store", "bolt:new.db", "-upstream", "csv:"+c.file, "-now", "2016-03-01")
			if got.code != 3 {
				t.Errorf("exit code %d, want 3", got.code)
			}
			has(t, "stdout", got.stdout, c.says...)
			has(t, "stderr", got.stderr, "error: part of the input was left out")
		})
	}
}

// TestRefreshTwice: the second of two equal refreshes finds nothing new and changes nothing.
func TestRefreshTwice(t *testing.T) {
	for _, source := range []string{"sample", "csv:good.csv"} {
		t.Run(source, func(t *testing.T) {
			d := newShell(t)
			args := []string{"refresh", "-store", "bolt:new.db", "-upstream", source, "-now", "2016-03-01"}
			first, second := d.run(args...), d.run(args...)
			if first.code != 0 || second.code != 0 {
				t.Fatal(first, second)
			}
			if strings.Contains(first.stdout, "\nobservations  0 new") || strings.Contains(first.stdout, " 0 changed") {
				t.Errorf("the first finds nothing:\n%s", first.stdout)
			}
			has(t, "stdout of the second", second.stdout, "\nobservations  0 new", " seen, 0 changed")
		})
	}
}
