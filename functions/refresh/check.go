package refresh

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"verdetto/shared/runtime/metrics"
	"verdetto/shared/web/routes"
)

const leastCertificateDays = 14

func (f *Function) logCheck(ctx context.Context) {
	if err := f.check(ctx); err != nil {
		f.Log.ErrorContext(ctx, "the service does not answer calls from outside", "url", f.BaseURL, "error", err)
		return
	}
	f.log(ctx, "answered from outside", slog.String("url", f.BaseURL),
		metrics.Metric{Name: "CheckPassed", Unit: metrics.Count, Value: 1})
}

var elsewhere = []string{"/v1/termini", "/v1/price-trends", "/v1/alerts/confirm", "/v1/shopping/flight-dates", "/x402/v1/analisi"}

// A function answers 403 if its origin secret differs from the edge's.
func refuses(status int) bool { return status == http.StatusForbidden || status >= 500 }

func isOther(status int) bool { return status != http.StatusOK }

// check accepts 429, except from /v1/rotte, because a caller without a key has small quotas.
func (f *Function) check(ctx context.Context) error {
	var covered struct {
		Rotte []struct{ Origine, Destinazione struct{ Codice string } }
	}
	if err := f.call(ctx, "/healthz", isOther, nil); err != nil {
		return err
	}
	for _, path := range elsewhere {
		if err := f.call(ctx, path, refuses, nil); err != nil {
			return err
		}
	}
	if err := f.call(ctx, "/v1/rotte", isOther, &covered); err != nil || len(covered.Rotte) == 0 {
		return err
	}
	first := covered.Rotte[0]
	return f.call(ctx, "/v1/analisi?"+url.Values{"origine": {first.Origine.Codice},
		"destinazione": {first.Destinazione.Codice}}.Encode(), isOther, nil)
}

func (f *Function) call(ctx context.Context, path string, fails func(status int) bool, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, f.BaseURL+path, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case response.StatusCode == http.StatusTooManyRequests && into == nil:
	case bytes.Contains(body, []byte(routes.FreeTierClosed)): // the firewall answered
	case fails(response.StatusCode):
		return fmt.Errorf("%s: %s", path, response.Status)
	case into != nil:
		if err := json.Unmarshal(body, into); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if tls := response.TLS; tls != nil && len(tls.PeerCertificates) > 0 {
		if days := tls.PeerCertificates[0].NotAfter.Sub(f.Now()).Hours() / 24; days < leastCertificateDays {
			return fmt.Errorf("the certificate ends in %.0f days", days)
		}
	}
	return nil
}
