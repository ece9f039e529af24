package webhook

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
)

// Secrets derives the signing secrets of endpoints, which are not stored.
type Secrets struct{ Pepper []byte }

// Secret returns the secret of a subscriber's endpoint in the format of Standard Webhooks.
func (s Secrets) Secret(subscriber store.SubscriberID, url string, generation int) string {
	mac := apikey.MAC(s.Pepper, "webhook secret", fmt.Sprintf("%s\x00%s\x00%d", subscriber, url, generation))
	return "whsec_" + base64.StdEncoding.EncodeToString(mac)
}

// Sign returns the headers of an event, with one signature per secret (Standard Webhooks 1.0).
func Sign(id string, now time.Time, body []byte, secrets ...string) (http.Header, error) {
	var signatures []string
	for _, secret := range secrets {
		signer, err := standard.NewWebhook(secret)
		if err != nil {
			return nil, fmt.Errorf("sign an event: %w", err)
		}
		signature, err := signer.Sign(id, now, body)
		if err != nil {
			return nil, fmt.Errorf("sign an event: %w", err)
		}
		signatures = append(signatures, signature)
	}
	return http.Header{
		"Content-Type":      {"application/json"},
		"User-Agent":        {"Verdetto-Webhooks/1"},
		"Webhook-Id":        {id},
		"Webhook-Timestamp": {strconv.FormatInt(now.Unix(), 10)},
		"Webhook-Signature": {strings.Join(signatures, " ")},
	}, nil
}
