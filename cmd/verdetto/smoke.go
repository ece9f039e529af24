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
	c := newCommand("smoke", "test a deployed service with 22 calls", func(ctx context.Context) error {
		if url == "" {
			return errors.New("smoke needs -url; take the output Url of the deployment")
		}
		return smoke.Run(ctx, http.DefaultClient, url, os.Stdout, smoke.All)
	})
	c.Flags().StringVar(&url, "url", "", "the `address` of the service; https, except on this machine")
	return c
}
