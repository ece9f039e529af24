// Command verdetto runs the service on one machine: all functions in one process. Start reading at
// the variable groups.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"unicode"

	"github.com/spf13/cobra"

	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/web/httpapi"
)

var groups = []struct {
	title    string
	commands []func() *cobra.Command
}{
	{"The service:", []func() *cobra.Command{serveCommand, initCommand, checkCommand, refreshCommand, statusCommand,
		askCommand, smokeCommand, mailTestCommand, hookTestCommand}},
	{"Its store:", []func() *cobra.Command{backupCommand, verifyCommand, restoreCommand, copyCommand, keyCommand,
		pepperCommand, importCommand}},
}

var (
	errPartly = errors.New("part of the input was left out")
	errUsage  = errors.New("wrong call")
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	limitMemory()
	os.Exit(exitCode(execute(ctx, os.Args[1:])))
}

func newRoot() *cobra.Command {
	root := &cobra.Command{Use: "verdetto", Short: "Says whether a flight fare is cheap: the service on one machine",
		SilenceErrors: true, SilenceUsage: true, Version: version()}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, make := range g.commands {
			c := make()
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.RunE = needsCommand
	return root
}

func execute(ctx context.Context, args []string) error {
	root := newRoot()
	wrongCall := true
	root.PersistentPreRun = func(c *cobra.Command, _ []string) { wrongCall = c.HasSubCommands() }
	root.SetArgs(longFlags(args))
	c, err := root.ExecuteContextC(ctx)
	if err != nil && wrongCall {
		fmt.Fprintf(os.Stderr, "%v\n\n%s", err, c.UsageString())
		return errUsage
	}
	return err
}

func version() string {
	if commit := httpapi.BuiltFrom(); commit != "" {
		return httpapi.Version + ", commit " + commit
	}
	return httpapi.Version
}

func newCommand(name, does string, run func(ctx context.Context) error) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: does,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%s takes no argument %q; see %[1]s -help", c.CommandPath(), args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return run(c.Context()) },
	}
}

func newParent(name, does string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: name, Short: does, Args: cobra.NoArgs, RunE: needsCommand}
	c.AddCommand(commands...)
	return c
}

func needsCommand(c *cobra.Command, _ []string) error {
	return fmt.Errorf("%s needs a command", c.CommandPath())
}

var oneDash = regexp.MustCompile(`^-[a-z]{2}`)

// longFlags turns -listen, the spelling in the documents, into --listen for the flag library.
func longFlags(args []string) []string {
	long := make([]string, len(args))
	for i, a := range args {
		long[i] = oneDash.ReplaceAllString(a, "-$0")
	}
	return long
}

const (
	exitUsage  = 2
	exitPartly = 3 // a panel is unusable, in part or as a whole
	exitNoFare = 4
)

// printable removes control characters, because a server's text could otherwise control the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return -1
		}
		return r
	}, text)
}

func exitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		return exitUsage
	}
	fmt.Fprintln(os.Stderr, "error:", printable(err.Error()))
	var refused *refusal
	if errors.As(err, &refused) {
		return refused.exitCode()
	}
	for _, bad := range []error{errPartly, csvfile.ErrNothing, csvfile.ErrDamaged} {
		if errors.Is(err, bad) {
			return exitPartly
		}
	}
	return 1
}
