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

// shown is what a purchase showed, as its payer may look at it again.
type shown struct {
	Customer apikey.CustomerID `json:"customer"`
	Key      string            `json:"key"` // empty: the plan of an address that has a key was lengthened
	Until    time.Time         `json:"until"`
}

// keepShown is the note of what a purchase shows, for the bearer of its secret: a
// checkout's id, or the token of a page that waits for a payment.
func (s *Service) keepShown(secret string, id apikey.CustomerID) func(key string) (store.Note, error) {
	return func(key string) (store.Note, error) {
		until := s.Now().Add(againTime).UTC().Truncate(time.Second)
		return s.seal(shownKey, secret, shown{id, key, until}, until)
	}
}

// again gives what a purchase showed, to who has its secret, for some minutes and
// as long as the key is in force; false otherwise.
func (s *Service) again(ctx context.Context, secret string) (bought issued, until time.Time, ok bool, err error) {
	var was shown
	err = s.unseal(ctx, shownKey, secret, &was)
	if errors.Is(err, store.ErrNotFound) {
		return issued{}, time.Time{}, false, nil
	}
	if err != nil {
		return issued{}, time.Time{}, false, err
	}
	c, err := s.Keys.Customer(ctx, was.Customer)
	if errors.Is(err, store.ErrNotFound) {
		return issued{}, time.Time{}, false, nil
	}
	if err != nil {
		return issued{}, time.Time{}, false, err
	}
	bought = issued{APIKey: was.Key, Plan: "pro", ExpiresAt: c.Plan().Until, guard: c.Guard}
	if was.Key == "" {
		bought.Status = extended
		return bought, was.Until, true, nil
	}
	key, parsed := apikey.Parse(was.Key)
	return bought, was.Until, parsed && c.Holds(key), nil
}
