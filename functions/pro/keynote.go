package pro

import (
	"context"
	"errors"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
)

// againTime is for how long who paid can look at the key again.
const againTime = 10 * time.Minute

// keyNote is what a purchase showed, for its payer to look at again.
type keyNote struct {
	Customer apikey.CustomerID `json:"customer"`
	Key      string            `json:"key"` // empty: the plan of an address that has a key was lengthened
	Until    time.Time         `json:"until"`
}

// noteKey is the note of what a purchase shows, for the bearer of its secret: a
// checkout's id, or the token of a page that waits for a payment.
func (s *Service) noteKey(secret string, id apikey.CustomerID) func(key string) (store.Note, error) {
	return func(key string) (store.Note, error) {
		until := s.Now().Add(againTime).UTC().Truncate(time.Second)
		return s.seal(shownKey, secret, keyNote{id, key, until}, until)
	}
}

// lookAgain returns what a purchase showed, to who has its secret, for some minutes and
// as long as the key is in force; false otherwise.
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
	bought = issued{APIKey: note.Key, Plan: "pro", ExpiresAt: c.Plan().Until, guard: c.Guard}
	if note.Key == "" {
		bought.Status = extended
		return bought, note.Until, true, nil
	}
	key, parsed := apikey.Parse(note.Key)
	return bought, note.Until, parsed && c.Holds(key), nil
}
