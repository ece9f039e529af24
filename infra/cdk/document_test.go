package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

// TestDocumentReserves: docs/aws.md states the reserved concurrency of each function, and the
// account's quota that these reservations require.
func TestDocumentReserves(t *testing.T) {
	c, doc := defaults(), awsDocument(t)
	c.Instances = 1_000_000
	usual := c.reservedAll()
	c.Instances = usual + unreserved
	if c.reservedAll() != usual {
		t.Fatalf("with a quota of %d %d are reserved, want %d", c.Instances, c.reservedAll(), usual)
	}
	c.Instances--
	if c.reservedAll() != 0 {
		t.Fatalf("with a quota of %d %d are reserved", c.Instances, c.reservedAll())
	}
	var each []string
	for _, f := range functions {
		each = append(each, fmt.Sprintf("%s %d", f.name, c.usual(f)))
	}
	if want := strings.Join(each, ", ") + fmt.Sprintf(", where `instances` is %d or more",
		usual+unreserved); !strings.Contains(doc, want) {
		t.Errorf("docs/aws.md does not say: %s", want)
	}
}

// TestDocumentConfirms: docs/aws.md states how many subscriptions to alarms to confirm, and
// from which regions.
func TestDocumentConfirms(t *testing.T) {
	doc := strings.Join(strings.Fields(awsDocument(t)), " ")
	for name, want := range map[string]struct {
		n    int
		says string
	}{"example": {2, "Confirm both subscriptions to alarms"}, "least": {1, "runs in us-east-1 there is one"}} {
		n := 0
		for _, r := range fixture(t, name).Resources {
			if r.Type == "AWS::SNS::Subscription" && r.Properties["Protocol"] == "email" {
				n++
			}
		}
		if n != want.n || !strings.Contains(doc, want.says) {
			t.Errorf("%s has %d subscriptions, and docs/aws.md does not say %q", name, n, want.says)
		}
	}
}

// TestDocumentAsksSESFirst: docs/aws.md tells the operator to request production access from SES,
// which takes a day, before it tells them to run the preflight that requires it.
func TestDocumentAsksSESFirst(t *testing.T) {
	doc := awsDocument(t)
	asked, wanted := strings.Index(doc, "put-account-details --production-access-enabled"),
		strings.Index(doc, "make preflight")
	if asked < 0 || asked > wanted {
		t.Errorf("production access is asked for at %d, and wanted at %d", asked, wanted)
	}
}

// TestDocumentRecovers runs the commands that docs/aws.md gives for a failed first deployment, for
// each stack. The commands remove only the failed stack.
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
