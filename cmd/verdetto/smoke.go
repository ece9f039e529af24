package main

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"os"

	"verdetto/cmd/verdetto/smoke"
)

// runSmoke tries a service from outside: smoke -url https://verdetto.example.
func runSmoke(ctx context.Context, args []string) error {
	var url string
	flags := flag.NewFlagSet("smoke", flag.ContinueOnError)
	flags.StringVar(&url, "url", "", "where the service is reached: its `address`, https unless it is this machine")
	if err := parse(flags, args); err != nil {
		return err
	}
	if url == "" {
		return errors.New("smoke needs -url; the output Url of the deployment is it")
	}
	return smoke.Run(ctx, http.DefaultClient, url, os.Stdout, smoke.All)
}
