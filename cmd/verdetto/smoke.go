package main

import (
	"context"
	"errors"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/smoke"
)

func smokeCommand() *cobra.Command {
	var url string
	var out output
	c := newCommand("smoke", "test a deployed service with 22 calls", func(ctx context.Context) error {
		if url == "" {
			return errors.New("smoke needs -url; take the output Url of the deployment")
		}
		if !out.json() {
			return smoke.Run(ctx, http.DefaultClient, url, os.Stdout, smoke.All)
		}
		var results []smoke.Result
		err := smoke.Each(ctx, http.DefaultClient, url, smoke.All, func(r smoke.Result) { results = append(results, r) })
		if len(results) == 0 {
			return err // the address is wrong
		}
		return errors.Join(out.print(results, nil), err)
	})
	out.flag(c)
	c.Flags().StringVar(&url, "url", "", "the `address` of the service; https, except on this machine")
	return c
}
