package main

import (
	"os/exec"
	"strings"
	"testing"

	"verdetto/shared/architecture/testenv"
)

func TestMakeDeploy(t *testing.T) {
	make := testenv.Command(t, "make", "apt-get install make")
	plan := func(args ...string) string {
		t.Helper()
		// --always-make plans every step, whichever tools are installed.
		out, err := exec.Command(make, append([]string{"-C", "../..", "--dry-run", "--always-make", "deploy",
			"CONFIG=verdetto.json"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	usual := plan()
	if !strings.Contains(usual, "cdk deploy --app cdk.out") {
		t.Errorf("it does not deploy:\n%s", usual)
	}
	if asked := strings.Index(usual, "\ngo run ./infra/preflight -config verdetto.json"); asked < 0 ||
		asked > strings.Index(usual, "cdk deploy") {
		t.Errorf("it deploys before it knows what is missing:\n%s", usual)
	}
	if deployed, live := strings.Index(usual, "cdk deploy"), strings.Index(usual,
		"go run ./infra/rollout -config verdetto.json"); live < deployed {
		t.Errorf("what is deployed is not made live:\n%s", usual)
	}
	for _, other := range []string{"mvn ", "pip install", "oapi-codegen", "axe-core", "Model Context Protocol"} {
		if strings.Contains(usual, other) {
			t.Errorf("it wants %q, which is for tests", other)
		}
	}
	if adopting := plan("ADOPT=1"); strings.Contains(usual, "--import-existing-resources") || strings.Contains(usual, "-adopt") ||
		!strings.Contains(adopting, "--import-existing-resources") || !strings.Contains(adopting, "-adopt") {
		t.Error("ADOPT=1 does not decide what is taken over")
	}
}
