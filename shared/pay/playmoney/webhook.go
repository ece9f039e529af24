package playmoney

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

type Event struct {
	ID      string
	Type    string
	Payload []byte
}

func (s *Stripe) happen(kind string, about object) {
	id := s.id("evt_")
	version := "2023-10-16"
	if s.Basil {
		version = "2025-03-31.basil"
	}
	payload, err := json.Marshal(object{
		"id": id, "object": "event", "type": kind, "api_version": version, "created": s.now().Unix(), "livemode": false,
		"data": object{"object": about}, "pending_webhooks": 1, "request": object{"id": nil, "idempotency_key": nil},
	})
	if err != nil {
		panic(err)
	}
	s.events = append(s.events, Event{id, kind, payload})
}

func (s *Stripe) Events() []Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

func Sign(payload []byte, at time.Time, secrets ...string) string {
	header := fmt.Sprintf("t=%d", at.Unix())
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%d.", at.Unix())
		mac.Write(payload)
		header += ",v1=" + hex.EncodeToString(mac.Sum(nil))
	}
	return header
}

func (s *Stripe) Deliver(ctx context.Context, address string, event Event) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(event.Payload))
	if err != nil {
		return 0, fmt.Errorf("deliver %s: %w", event.Type, err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Stripe-Signature", Sign(event.Payload, s.now(), s.Secret))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, fmt.Errorf("deliver %s: %w", event.Type, err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20))
	return response.StatusCode, nil
}

func (s *Stripe) leadOn(w http.ResponseWriter, r *http.Request, next string) {
	if err := s.report(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

func (s *Stripe) report(ctx context.Context) error {
	if s.Webhook == "" {
		return nil
	}
	s.mu.Lock()
	fresh := slices.Clone(s.events[s.reported:])
	s.reported = len(s.events)
	s.mu.Unlock()
	for _, event := range fresh {
		status, err := s.Deliver(ctx, s.Webhook, event)
		if err != nil {
			return err
		}
		if status/100 != 2 {
			return fmt.Errorf("deliver %s: the webhook answered %d", event.Type, status)
		}
	}
	return nil
}
