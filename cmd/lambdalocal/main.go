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
	"time"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/cmd/lambdalocal/runtimeapi"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/store/dynamostore/dynamolocal"
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

func runInvoke(ctx context.Context, args []string) error {
	var f fares
	var executable, event string
	var empty bool
	flags := flag.NewFlagSet("invoke", flag.ContinueOnError)
	flags.StringVar(&executable, "exec", "", "the built `bootstrap`; make invoke builds it")
	flags.StringVar(&event, "event", "", "the event to hand it: a JSON `file`, as in events/")
	flags.BoolVar(&empty, "empty", false, "leave the table empty, as the first refresh finds it")
	f.register(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if executable == "" || event == "" {
		return errors.New("invoke needs -exec and -event; make invoke FN=analisi EVENT=events/analisi.json gives both")
	}
	payload, err := os.ReadFile(event)
	if err != nil {
		return fmt.Errorf("read event: %w", err)
	}

	endpoint, stop, err := dynamolocal.Start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	setup, err := f.setup(ctx)
	if err != nil {
		return err
	}
	environment, done, err := setup.Seed(ctx, endpoint, !empty)
	if err != nil {
		return err
	}
	defer done()

	begun := time.Now()
	process, err := runtimeapi.Start(ctx, executable, environment, os.Stderr)
	if err != nil {
		return err
	}
	defer process.Close()
	ready := time.Since(begun)
	begun = time.Now()
	answer, err := process.Invoke(ctx, payload)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "ready after %.1f ms, answered in %.1f ms\n", ms(ready), ms(time.Since(begun)))
	if answer.Error != "" {
		return fmt.Errorf("the function failed: %s", answer.Error)
	}
	fmt.Println(string(answer.Payload))
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
