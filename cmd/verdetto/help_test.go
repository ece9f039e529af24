package main

import (
	"bytes"
	"flag"
	"fmt"
	"testing"

	"github.com/spf13/cobra"

	"verdetto/e2e/fixture"
)

var update = flag.Bool("update", false, "write the golden file anew")

func TestHelp(t *testing.T) {
	t.Setenv("VERDETTO_CONFIG", "")
	var all bytes.Buffer
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		fmt.Fprintf(&all, "\n$ %s --help\n", c.CommandPath())
		c.InitDefaultHelpFlag()
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		for _, sub := range c.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" {
				walk(sub)
			}
		}
	}
	root := newRoot()
	root.SetOut(&all)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	walk(root)
	fixture.Golden(t, "testdata/help.txt", all.Bytes(), *update)
}
