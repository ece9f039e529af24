package refresh

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"verdetto/shared/runtime/metrics"
)

// leastDays is how long the certificate must still be valid. Whoever renews certificates for others
// does so earlier, so a shorter time means that the renewal fails.
const leastDays = 14

// logCheck calls the service as a caller outside does. An alarm rings if no check passes.
func (f *Function) logCheck(ctx context.Context) {
	if err := f.check(ctx); err != nil {
		f.Log.ErrorContext(ctx, "the service does not answer calls from outside", "url", f.BaseURL, "error", err)
		return
	}
	f.log(ctx, "answered from outside", slog.String("url", f.BaseURL),
		metrics.Metric{Name: "CheckPassed", Unit: metrics.Count, Value: 1})
}

// check asks for the health, the routes and, if there is a route, its verdict. A verdict may be
// refused with 429, since a caller without a key has few a day: the answer shows that the service
// works as well.
func (f *Function) check(ctx context.Context) error {
	var covered struct {
		Rotte []struct{ Origine, Destinazione struct{ Codice string } }
	}
	if err := f.call(ctx, "/healthz", nil); err != nil {
		return err
	}
	if err := f.call(ctx, "/v1/rotte", &covered); err != nil || len(covered.Rotte) == 0 {
		return err
	}
	first := covered.Rotte[0]
	return f.call(ctx, "/v1/analisi?"+url.Values{"origine": {first.Origine.Codice},
		"destinazione": {first.Destinazione.Codice}}.Encode(), nil)
}

func (f *Function) call(ctx context.Context, path string, into any) error {
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
	case response.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %s", path, response.Status)
	case into != nil:
		if err := json.Unmarshal(body, into); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if tls := response.TLS; tls != nil && len(tls.PeerCertificates) > 0 {
		if days := tls.PeerCertificates[0].NotAfter.Sub(f.Now()).Hours() / 24; days < leastDays {
			return fmt.Errorf("the certificate ends in %.0f days", days)
		}
	}
	return nil
}
