package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

func TestSecretsAreKept(t *testing.T) {
	document, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "aws.md"))
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile(`(?s)\n\(set -e\n.*?origin\.json\)\n`).Find(document)
	if block == nil {
		t.Fatal("docs/aws.md has no block that begins with set -e and ends with the deletion")
	}
	for _, c := range []struct {
		name, aws string // aws is a shell script that replaces the AWS command line
		deleted   bool
	}{
		{"version 2", `case "$*" in --version) echo aws-cli/2.31.0 Python/3.13;; *get-parameter*) echo secret;; esac`, true},
		{"version 1", `case "$*" in --version) echo aws-cli/1.42.0 Python/3.9;; *get-parameter*) echo secret;; esac`, false},
		{"a parameter that exists", `case "$*" in --version) echo aws-cli/2.31.0;; *put-parameter*) exit 254;; *) echo secret;; esac`, false},
		{"another pepper", `case "$*" in --version) echo aws-cli/2.31.0;; *get-parameter*) echo another;; esac`, false},
		{"no right to read", `case "$*" in --version) echo aws-cli/2.31.0;; *get-parameter*) exit 254;; esac`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"pepper": "secret", "callers": "c", "origin": "o", "origin.json": "{}",
				"aws": "#!/bin/sh\n" + c.aws + "\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			command := exec.CommandContext(t.Context(), "bash", "-c", string(block))
			command.Dir, command.Env = dir, []string{"PATH=" + dir + ":/usr/bin:/bin"}
			out, err := command.CombinedOutput()
			_, missing := os.Stat(filepath.Join(dir, "pepper"))
			if (err == nil) != c.deleted || (missing != nil) != c.deleted {
				t.Errorf("%v, pepper: %v\n%s", err, missing, out)
			}
		})
	}
}
