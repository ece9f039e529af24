// Command local is the house on a desk: all functions in one process with one
// file, the refresh, and a way to run the Lambda executables without Lambda.
//
//	go run ./infra/local serve      answer on 127.0.0.1:8080
//	go run ./infra/local refresh    bring a store up to date once
//	go run ./infra/local invoke     run a built Lambda executable with an event
//	go run ./infra/local key        make a Pro key by hand
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// command is something that local does. Its exit code is 1 for an error, 2 for
// a wrong call, and 3 when it did its work but part of the input was bad.
type command struct {
	name, does string
	run        func(ctx context.Context, args []string) error
}

var commands = []command{
	{"serve", "answer requests; the whole service in one process", serve},
	{"refresh", "bring a store up to date once and report", refreshOnce},
	{"invoke", "run a built Lambda executable with an event", invoke},
	{"backtest", "replay recorded fares and say how right the verdicts were", backtestPanel},
	{"key", "make a Pro key by hand", key},
}

// errPartly is returned when the work was done but some of the input was left out.
var errPartly = errors.New("part of the input was left out")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 {
		for _, c := range commands {
			if c.name == os.Args[1] {
				os.Exit(exitCode(c.run(ctx, os.Args[2:])))
			}
		}
		switch os.Args[1] {
		case "help", "-help", "--help", "-h":
			usage(os.Stdout)
			return
		}
		fmt.Fprintf(os.Stderr, "there is no command %q\n", os.Args[1])
	}
	usage(os.Stderr)
	os.Exit(2)
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: local COMMAND [FLAGS]; COMMAND -help lists its flags")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-10s%s\n", c.name, c.does)
	}
}

func exitCode(err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	if errors.Is(err, errPartly) {
		return 3
	}
	return 1
}

// errUsage: the flags were wrong, and the flag package has said why.
var errUsage = errors.New("wrong flags")

// parse reads flags and refuses what is left over.
func parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "%s takes no argument %q; see %s -help\n", flags.Name(), flags.Arg(0), flags.Name())
		return errUsage
	}
	return nil
}
