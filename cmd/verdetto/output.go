package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

// output is the form in which a command prints its result: text for people, or JSON for programs.
type output struct{ form string }

// flag adds the flag -o to a command.
func (o *output) flag(c *cobra.Command) {
	o.form = "text"
	c.Flags().VarP(o, "output", "o", "`form` of the result: text or json")
}

// Set implements pflag.Value.
func (o *output) Set(form string) error {
	if form != "text" && form != jsonLog {
		return fmt.Errorf("want text or json")
	}
	o.form = form
	return nil
}

// String implements pflag.Value.
func (o *output) String() string { return o.form }

// Type implements pflag.Value.
func (o *output) Type() string { return "form" }

func (o *output) json() bool { return o.form == jsonLog }

// notes returns where notes beside the result are written: not between JSON.
func (o *output) notes() io.Writer {
	if o.json() {
		return os.Stderr
	}
	return os.Stdout
}

// print writes a result to standard output.
func (o *output) print(result any, text func(w io.Writer)) error {
	if !o.json() {
		text(os.Stdout)
		return nil
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(result); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	return nil
}
