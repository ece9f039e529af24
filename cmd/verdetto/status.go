package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/smoke"
)

func statusCommand() *cobra.Command {
	var store, url string
	var out output
	c := newCommand("status", "show the state of the service of a store, or whether a service is ready", func(ctx context.Context) error {
		switch {
		case url != "":
			return ready(ctx, url, out)
		case store == "":
			return errors.New("status needs -store bolt:FILE on the machine of the service, or -url https://... from elsewhere")
		}
		status, err := onemachine.StatusOf(ctx, store, time.Now)
		if err != nil {
			return err
		}
		return out.print(status, status.Print)
	})
	takeSettings(c, map[string]*string{"store": &store})
	out.flag(c)
	c.Flags().StringVar(&url, "url", "", "`URL` of a service; the command fails unless the service is ready")
	return c
}

// Container health checks run ready, because the image contains no other program.
func ready(ctx context.Context, url string, out output) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("-url %q: want an address such as https://verdetto.example", url)
	}
	request.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask the service: %w", err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if out.json() && json.Valid(body) {
		_, _ = os.Stdout.Write(body)
	}
	var answer struct {
		EtaTariffeGiorni float64
		Versione, Detail string
	}
	if err := json.Unmarshal(body, &answer); err != nil || response.StatusCode != http.StatusOK {
		if answer.Detail == "" {
			answer.Detail = response.Status
		}
		return fmt.Errorf("not ready: %s", answer.Detail)
	}
	if !out.json() {
		fmt.Printf("ready: version %s, newest fares %.1f days old\n", answer.Versione, answer.EtaTariffeGiorni)
	}
	return nil
}

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
		err := smoke.Each(ctx, http.DefaultClient, url, smoke.All, func(r smoke.Result) {
			results = append(results, r)
		})
		if len(results) == 0 {
			return err
		}
		return errors.Join(out.print(results, nil), err)
	})
	out.flag(c)
	c.Flags().StringVar(&url, "url", "", "the `address` of the service; https, except on this machine")
	return c
}
