package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"verdetto/cmd/lambdalocal/runtimeapi"
	"verdetto/shared/store/dynamostore/dynamolocal"
)

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
