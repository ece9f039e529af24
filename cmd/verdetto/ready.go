package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func readyCommand() *cobra.Command {
	var url string
	c := newCommand("ready", "report whether a service is ready, for health checks", func(ctx context.Context) error {
		return ready(ctx, url)
	})
	c.Flags().StringVar(&url, "url", "http://127.0.0.1:8080", "`URL` of the service")
	return c
}

// ready calls /readyz of a service and fails if it is not ready. Container health checks use the
// exit code of this command, because the image contains no other program.
func ready(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("-url %q: want an address such as http://127.0.0.1:8080", url)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("ask the service: %w", err)
	}
	defer response.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(response.Body, 1000)) // a partial answer is enough
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", said)
	}
	fmt.Println("ready")
	return nil
}
