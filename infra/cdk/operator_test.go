package main

import (
	"strings"
	"testing"
)

func TestOperator(t *testing.T) {
	if missing := (operator{}).missing(); len(missing) != 6 ||
		!strings.HasPrefix(missing[0], "operator.name is not given") {
		t.Errorf("%q", missing)
	}
	example, err := load("example.json")
	if err != nil {
		t.Fatal(err)
	}
	if missing := example.Operator.missing(); missing != nil {
		t.Errorf("of the example there is missing %q", missing)
	}
	example.Operator.Email = "Ada <ada@example.com>"
	if faults := example.check(); len(faults) != 1 || !strings.HasPrefix(faults[0], "operator.email") {
		t.Errorf("%q", faults)
	}
	for name, want := range map[string]any{"example": "Example Flights s.r.l.", "least": nil} {
		set := fixture(t, name).property("ProFunction", "Environment", "Variables").(map[string]any)
		if set["VERDETTO_OPERATOR_NAME"] != want {
			t.Errorf("%s: the function gets %v", name, set["VERDETTO_OPERATOR_NAME"])
		}
	}
}
