package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"verdetto/shared/store"
)

// Secrets makes the secrets that events are signed with. None is stored: each
// follows from the operator's pepper, whose it is, the endpoint, and how often it
// was changed.
type Secrets struct{ Pepper []byte }

// Of is the secret that a subscriber shares with an endpoint, in the form that
// libraries of Standard Webhooks take. All alerts of the subscriber to that
// endpoint have the same.
func (s Secrets) Of(subscriber store.SubscriberID, url string, generation int) string {
	key := hmac.New(sha256.New, s.Pepper)
	key.Write([]byte("webhook secret"))
	of := hmac.New(sha256.New, key.Sum(nil))
	fmt.Fprintf(of, "%s\x00%s\x00%d", subscriber, url, generation)
	return "whsec_" + base64.StdEncoding.EncodeToString(of.Sum(nil))
}

// Sign is the header of an event as it is sent at a moment: its id, that moment,
// and a signature by each secret (Standard Webhooks 1.0).
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
