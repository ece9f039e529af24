// Command lambdalocal runs the Lambda executables on this machine as AWS does: over
// DynamoDB Local, with stand-ins for the fare source, Stripe and Solana.
//
//	go run ./cmd/lambdalocal invoke   run a built executable with an event
//	go run ./cmd/lambdalocal sam      run the template's functions in containers by SAM
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/cmd/verdetto/onemachine"
)

var commands = map[string]func(ctx context.Context, args []string) error{"invoke": runInvoke, "sam": runSAM}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: lambdalocal invoke|sam [FLAGS]; invoke -help and sam -help list their flags")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](ctx, os.Args[2:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

type fares struct{ upstream, price, now string }

func (f *fares) register(flags *flag.FlagSet) {
	flags.StringVar(&f.upstream, "upstream", "sample", "sample, `csv:FILE` or travelpayouts: where fares come from")
	flags.StringVar(&f.price, "price", "", "of a panel, take this `column` as the one-way fare; default: the column price")
	flags.StringVar(&f.now, "now", "", "a `time` (RFC 3339, or a day) that the clock begins at; default: the system's clock")
}

func (f *fares) setup(ctx context.Context) (s localcloud.Setup, err error) {
	if s.Now, err = onemachine.Clock(f.now); err != nil {
		return s, err
	}
	s.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	s.Source, _, err = onemachine.OpenSource(ctx, f.upstream, f.price, &onemachine.Options{Now: s.Now, Log: s.Log},
		io.Discard)
	return s, err
}
