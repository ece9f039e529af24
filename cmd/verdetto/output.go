package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
)

type output struct{ form string }

func (o *output) flag(c *cobra.Command) {
	o.form = "text"
	c.Flags().VarP(o, "output", "o", "`form` of the result: text or json")
}

func (o *output) Set(form string) error {
	if form != "text" && form != jsonLog {
		return fmt.Errorf("want text or json")
	}
	o.form = form
	return nil
}

func (o *output) String() string { return o.form }

func (o *output) Type() string { return "form" }

func (o *output) json() bool { return o.form == jsonLog }

// notes keeps notes beside the result out of JSON.
func (o *output) notes() io.Writer {
	if o.json() {
		return os.Stderr
	}
	return os.Stdout
}

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
