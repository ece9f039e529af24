package pro

import (
	"context"
	"errors"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
)

const againTime = 10 * time.Minute

type keyNote struct {
	Customer apikey.CustomerID `json:"customer"`
	Key      string            `json:"key"` // empty: the purchase extended a plan that had a key
	Until    time.Time         `json:"until"`
}

// Whoever knows the parameter secret can open the note.
func (s *Service) noteKey(secret string, id apikey.CustomerID) func(key string) (store.Note, error) {
	return func(key string) (store.Note, error) {
		until := s.Now().Add(againTime).UTC().Truncate(time.Second)
		return s.seal(shownKey, secret, keyNote{id, key, until}, until)
	}
}

func (s *Service) lookAgain(ctx context.Context, secret string) (bought issued, until time.Time, ok bool, err error) {
	var note keyNote
	var c store.Customer
	if err = s.unseal(ctx, shownKey, secret, &note); err == nil {
		c, err = s.Keys.Customer(ctx, note.Customer)
	}
	if errors.Is(err, store.ErrNotFound) {
		return issued{}, time.Time{}, false, nil
	}
	if err != nil {
		return issued{}, time.Time{}, false, err
	}
	bought = issued{APIKey: note.Key, Plan: "pro", ExpiresAt: c.Plan().Until}
	if note.Key == "" {
		bought.Status = extended
		return bought, note.Until, true, nil
	}
	key, parsed := apikey.Parse(note.Key)
	return bought, note.Until, parsed && c.HasKey(key), nil
}
