package ecb

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"verdetto/shared/fare"
)

const DefaultURL = "https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"

const maxFeed = 1 << 20

type Feed struct {
	URL        string
	HTTPClient *http.Client
}

func (f Feed) Latest(ctx context.Context) (fare.Rates, error) {
	address := f.URL
	if address == "" {
		address = DefaultURL
	}
	client := f.HTTPClient
	if client == nil {
		client = &http.Client{Timeout: 10 * time.Second}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fare.Rates{}, fmt.Errorf("ask for reference rates: %w", err)
	}
	request.Header.Set("User-Agent", "verdetto/1")
	response, err := client.Do(request)
	if err != nil {
		return fare.Rates{}, fmt.Errorf("ask for reference rates: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fare.Rates{}, fmt.Errorf("ask for reference rates: status %d", response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxFeed+1))
	if err != nil {
		return fare.Rates{}, fmt.Errorf("read reference rates: %w", err)
	}
	if len(body) > maxFeed {
		return fare.Rates{}, fmt.Errorf("read reference rates: more than %d bytes", maxFeed)
	}
	return parseDaily(body)
}

func parseDaily(document []byte) (fare.Rates, error) {
	var envelope struct {
		Days []struct {
			Time  string `xml:"time,attr"`
			Rates []struct {
				Currency string `xml:"currency,attr"`
				Rate     string `xml:"rate,attr"`
			} `xml:"Cube"`
		} `xml:"Cube>Cube"`
	}
	if err := xml.Unmarshal(document, &envelope); err != nil {
		return fare.Rates{}, fmt.Errorf("read reference rates: %w", err)
	}
	if len(envelope.Days) != 1 {
		return fare.Rates{}, fmt.Errorf("read reference rates: %d days, want 1", len(envelope.Days))
	}
	published := envelope.Days[0]
	day, err := fare.ParseDay(published.Time)
	if err != nil {
		return fare.Rates{}, fmt.Errorf("read reference rates: %w", err)
	}
	rates := fare.Rates{Date: day, PerEuro: map[string]float64{}, Ended: maps.Clone(Table().Newest().Ended)}
	for _, r := range published.Rates {
		if err := set(rates, r.Currency, r.Rate); err != nil {
			return fare.Rates{}, fmt.Errorf("read reference rates: %w", err)
		}
		delete(rates.Ended, r.Currency)
	}
	addPegs(rates)
	if _, ok := rates.Rate("USD"); !ok {
		return fare.Rates{}, errors.New("read reference rates: no rate of USD")
	}
	return rates, nil
}

// Current returns the newest rates of table if feed is nil, fails or has older rates.
func Current(ctx context.Context, feed *Feed, table *History, log *slog.Logger) fare.Rates {
	newest := table.Newest()
	if feed == nil {
		return newest
	}
	rates, err := feed.Latest(ctx)
	switch {
	case err != nil:
		log.WarnContext(ctx, "the European Central Bank did not give today's exchange rates, so those of the release are used; nothing has to be done", "date", newest.Date.String(), "err", err)
		return newest
	case rates.Date < newest.Date:
		return newest
	}
	return rates
}
