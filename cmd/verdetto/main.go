// Command verdetto is the service on one machine: all functions in one process
// with one file, the refresh, a key by hand, and a backtest. Command lambdalocal runs
// the Lambda executables.
//
//	go run ./cmd/verdetto serve      answer on 127.0.0.1:8080
//	go run ./cmd/verdetto check      say everything that is wrong with the settings
//	go run ./cmd/verdetto refresh    bring a store up to date once
//	go run ./cmd/verdetto backup     copy a store into a file, while it is served
//	go run ./cmd/verdetto migrate    move a store into another, while it is served
//	go run ./cmd/verdetto restore    put a backup in the place of a store
//	go run ./cmd/verdetto verify     read everything that a backup holds
//	go run ./cmd/verdetto compact    give what is free in a file back to the disk
//	go run ./cmd/verdetto backtest   replay recorded fares
//	go run ./cmd/verdetto status     say how a service is
//	go run ./cmd/verdetto ready      ask a service whether it is ready
//	go run ./cmd/verdetto key        make a Pro key by hand
//	go run ./cmd/verdetto pepper     export the secret that a store was made with
//	go run ./cmd/verdetto mail-test  send one mail and say how far it came
//	go run ./cmd/verdetto smoke      try a service that was deployed
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

	"verdetto/shared/upstream/csvfile"
)

// command is something that verdetto does. Its exit code is 1 for an error, 2 for
// a wrong call, and 3 where part of a panel could not be read, the rest being
// used, or nothing of it could be used.
type command struct {
	name, does string
	run        func(ctx context.Context, args []string) error
}

var commands = []command{
	{"serve", "answer requests; the whole service in one process", runServe},
	{"check", "say everything that is wrong with the settings", runCheck},
	{"refresh", "bring a store up to date once and report", runRefresh},
	{"backup", "copy a store into a file, while it is served", runBackup},
	{"migrate", "move a store into another, while it is served", runMigrate},
	{"restore", "put a backup in the place of a store", runRestore},
	{"verify", "read everything that a backup, or a store, holds", runVerify},
	{"compact", "give what is free in the file of a store back to the disk", runCompact},
	{"backtest", "replay recorded fares and say how right the verdicts were", runBacktest},
	{"status", "say how a service is, from its store or, as a page, from outside", runStatus},
	{"ready", "ask a service whether it is ready; for health checks", runReady},
	{"key", "make a Pro key by hand", runKey},
	{"pepper", "export the secret that a store was made with, or import it", runPepper},
	{"mail-test", "send one mail and say how far it came", runMailTest},
	{"smoke", "try a service that was deployed, with 22 calls", runSmoke},
}

var (
	// errPartly: the work was done, but some of the input was left out.
	errPartly = errors.New("part of the input was left out")
	// errUsage: the flags were wrong, and the flag package has said why.
	errUsage = errors.New("wrong flags")
)

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
	fmt.Fprintln(w, "usage: verdetto COMMAND [FLAGS]; COMMAND -help lists its flags")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-11s%s\n", c.name, c.does)
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
	for _, bad := range []error{errPartly, csvfile.ErrNothing, csvfile.ErrDamaged} {
		if errors.Is(err, bad) {
			return 3
		}
	}
	return 1
}
