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
	c := newCommand("smoke", "try a service that was deployed, with 22 calls", func(ctx context.Context) error {
		if url == "" {
			return errors.New("smoke needs -url; the output Url of the deployment is it")
		}
		return smoke.Run(ctx, http.DefaultClient, url, os.Stdout, smoke.All)
	})
	c.Flags().StringVar(&url, "url", "", "where the service is reached: its `address`, https unless it is this machine")
	return c
}
