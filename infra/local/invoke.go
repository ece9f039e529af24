package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"verdetto/infra/local/runtimeapi"
	"verdetto/shared/pay/paytest"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/upstreamtest"
)

// invoke runs an executable as Lambda would, over DynamoDB Local, and prints what it answers.
func invoke(ctx context.Context, args []string) error {
	var c choices
	var executable, event string
	var empty bool
	flags := flag.NewFlagSet("invoke", flag.ContinueOnError)
	flags.StringVar(&executable, "exec", "", "the built `bootstrap`; make invoke builds it")
	flags.StringVar(&event, "event", "", "the event to hand it: a JSON `file`, as in events/")
	flags.BoolVar(&empty, "empty", false, "leave the table empty, as the first refresh finds it")
	c.flags(flags)
	if err := parse(flags, args); err != nil {
		return err
	}
	if err := c.settle(); err != nil {
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
	environment, done, err := c.furnish(ctx, endpoint, !empty)
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

// furnish makes the table, fills it from the chosen source if asked to, starts
// a stand-in for the real source that has the same fares, and gives the
// environment in which an executable finds both.
func (c *choices) furnish(ctx context.Context, endpoint string, fill bool) (environment []string, done func(), err error) {
	name := "invoke-" + rand.Text()
	client := dynamolocal.Client(endpoint)
	if err := dynamostore.Create(ctx, client, name); err != nil {
		return nil, nil, err
	}
	table := dynamostore.New(client, name, c.now)
	source, _, err := c.openUpstream(ctx, io.Discard)
	if err != nil {
		return nil, nil, err
	}
	if fill {
		if _, err := runRefresh(ctx, c, table, source, nil); err != nil {
			return nil, nil, err
		}
	}
	rows, err := rowsOf(ctx, source, c.now())
	if err != nil {
		return nil, nil, err
	}
	standIn := upstreamtest.New(rows, c.now)
	environment = []string{
		"VERDETTO_TABLE=" + name,
		"VERDETTO_ORIGIN_SECRETS=local-origin-secret",
		"VERDETTO_PEPPER=local-pepper-that-is-32-bytes-long",
		"VERDETTO_BASE_URL=https://verdetto.example", "VERDETTO_MAIL_FROM=Verdetto <mail@verdetto.example>",
		"STRIPE_KEY=" + paytest.TestKey, "STRIPE_PRICE=" + paytest.TestPrice, "STRIPE_WEBHOOK_SECRETS=" + paytest.TestSecret,
		"SOLANA_NODES=http://127.0.0.1:1", "SOLANA_WALLET=" + playWallet, // nobody is there: what needs them answers 503
		"STRIPE_URL=http://127.0.0.1:1",
		"TRAVELPAYOUTS_TOKEN=" + standIn.Token,
		"TRAVELPAYOUTS_URL=" + standIn.URL,
		"VERDETTO_NOW=" + c.now().UTC().Format(time.RFC3339),
		"AWS_ENDPOINT_URL_DYNAMODB=" + endpoint,
		"AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_EC2_METADATA_DISABLED=true",
	}
	for _, v := range os.Environ() { // what the caller sets goes before
		if strings.HasPrefix(v, "VERDETTO_") || strings.HasPrefix(v, "TRAVELPAYOUTS_") {
			environment = append(environment, v)
		}
	}
	return environment, standIn.Close, nil
}

// rowsOf is what a source knows up to a moment, as rows of the real one in euro.
func rowsOf(ctx context.Context, source upstream.Source, until time.Time) ([]upstream.Row, error) {
	origins, err := source.Origins(ctx)
	if err != nil {
		return nil, err
	}
	var rows []upstream.Row
	for _, origin := range origins {
		answer, err := source.Fares(ctx, origin, time.Time{}, until)
		if err != nil {
			return nil, err
		}
		for _, f := range answer.Fares {
			rows = append(rows, upstream.Row{
				Origin: string(f.Route.Origin), Destination: string(f.Route.Destination),
				Depart: f.Depart, Found: time.Unix(f.Found, 0).UTC(),
				Price: float64(f.Price) / 100, Currency: "EUR",
			})
		}
	}
	return rows, nil
}
