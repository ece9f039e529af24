package main

import (
	"strings"
	"testing"
)

func TestRefuses(t *testing.T) {
	for name, says := range map[string][]string{
		"invoke": {"-exec", "-event", "make invoke"},
		"sam":    {"-fn", "-event", "make sam-invoke"},
	} {
		err := commands[name](t.Context(), nil)
		for _, want := range says {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one with %q", name, err, want)
			}
		}
	}
}
