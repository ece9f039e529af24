// Package dynamodb runs tests of other packages again, over DynamoDB Local instead of the embedded
// store.
package dynamodb

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/dynamostore/dynamolocal"
)

var stories = map[string][]string{
	"e2e/limits":       {"TestExactlyThirtyOfAThousand", "TestAFloodIsNotWritten", "TestRotation"},
	"e2e/pro":          {"TestManyClaimOnePayment"},
	"functions/alerts": {"TestAskingAnswersAlike", "TestManyConfirmAtOnce"},
	"functions/x402":   {"TestHonestPayersAmongMany"},
}

func TestStories(t *testing.T) {
	endpoint := dynamolocal.Endpoint(t)
	for pkg, tests := range stories {
		t.Run(pkg, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-vet=off", "-ldflags=-s -w", "-v",
				"-run", "^("+strings.Join(tests, "|")+")$", "./"+pkg)
			command.Dir = fixture.Path(t)
			command.Env = append(os.Environ(), fixture.OverDynamoDB+"="+endpoint)
			out, err := command.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			for _, name := range tests {
				if !bytes.Contains(out, []byte("--- PASS: "+name+" ")) && err == nil {
					t.Errorf("%s was not run", name)
				}
			}
		})
	}
}
