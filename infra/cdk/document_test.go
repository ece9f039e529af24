package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"verdetto/shared/architecture/testenv"
)

func awsDocument(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("../../docs/aws.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// In the table of costs, each cost is price times quantity, the last row holds the sums, and the
// first paragraph states them in whole dollars.
func TestDocumentCosts(t *testing.T) {
	doc := awsDocument(t)
	_, rest, _ := strings.Cut(doc, "| charged for |")
	table, _, _ := strings.Cut(rest, "\n\n")
	number := func(cell string) float64 {
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil && cell != "" {
			t.Errorf("%q: %v", cell, err)
		}
		return v
	}
	rows := strings.Split(table, "\n")[2:]
	var sums [2]float64
	for _, row := range rows {
		cells := strings.Split(strings.Trim(row, "| "), "|")
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " *")
		}
		cells = append(cells, "", "")[:7] // the outer bar of empty last cells is trimmed
		for i := range sums {
			quantity, cost := cells[3+2*i], cells[4+2*i]
			want := sums[i]
			if cells[0] != "together" {
				want = number(cells[2]) * number(quantity)
				sums[i] += want
			}
			if math.Abs(number(cost)-want) > 0.00501 {
				t.Errorf("%s costs %q, want %.4f", cells[0], cost, want)
			}
		}
	}
	if len(rows) < 10 || !strings.Contains(rows[len(rows)-1], "together") {
		t.Errorf("the table ends with %q after %d rows", rows[len(rows)-1], len(rows))
	}
	intro, _, _ := strings.Cut(doc, "```")
	for _, sum := range sums {
		if want := fmt.Sprintf("about %.0f dollars", sum); !strings.Contains(intro, want) {
			t.Errorf("the first paragraph does not say %q", want)
		}
	}
}

// docs/aws.md gives commands for a failed first deployment of each stack. They remove only the
// failed stack.
func TestDocumentRecovers(t *testing.T) {
	bash := testenv.Command(t, "bash", "apt-get install bash")
	blocks := regexp.MustCompile("(?s)\n```\n(remove_failed.*?)\n```\n").FindStringSubmatch(awsDocument(t))
	if blocks == nil {
		t.Fatal("docs/aws.md has no commands that remove a failed stack")
	}
	for _, c := range []struct{ name, failed, removed string }{
		{"the service's", "verdetto", "delete-stack --stack-name verdetto\n"},
		{"the edge's", "verdetto-edge", "delete-stack --stack-name verdetto-edge --region us-east-1\n"},
		{"none", "-", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			aws := `#!/bin/bash
case "$*" in
*describe-stacks*"--stack-name ` + c.failed + ` "*) echo ROLLBACK_COMPLETE;;
*describe-stacks*) echo CREATE_COMPLETE;;
*delete-stack*) shift; echo "$*" >>` + dir + `/removed;;
esac
`
			if err := os.WriteFile(filepath.Join(dir, "aws"), []byte(aws), 0o755); err != nil {
				t.Fatal(err)
			}
			command := exec.Command(bash, "-c", blocks[1])
			command.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
			out, err := command.CombinedOutput()
			removed, _ := os.ReadFile(filepath.Join(dir, "removed"))
			if string(removed) != c.removed {
				t.Errorf("removed: %q, want %q (%v)\n%s", removed, c.removed, err, out)
			}
		})
	}
}
