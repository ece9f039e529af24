package pro

import (
	"context"
	"crypto/cipher"
	"encoding/json"
	"fmt"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
)

// Names and encryption keys of notes are derived from the purpose too, so a secret for one purpose
// opens no note for another purpose.
type purpose string

const (
	shownKey   purpose = "shown key"
	manageLink purpose = "manage link"
	moveLink   purpose = "move link"
)

// The name and the encryption key of a note are derived from a secret, so that a note alone, even with
// the pepper, reveals neither the content nor the owner.
func (s *Service) seal(p purpose, secret string, about any, until time.Time) (store.Note, error) {
	plain, err := json.Marshal(about)
	if err != nil {
		return store.Note{}, fmt.Errorf("seal a note: %w", err)
	}
	name := s.noteName(p, secret)
	return store.Note{Name: name, Data: s.sealer(p, secret).Seal(nil, nil, plain, []byte(name)), //nolint:gosec // the cipher draws a nonce
		Until: until.UTC().Truncate(time.Second)}, nil
}

func (s *Service) keepNote(ctx context.Context, p purpose, secret string, about any, until time.Time) error {
	note, err := s.seal(p, secret, about, until)
	if err != nil {
		return err
	}
	return s.notes().Put(ctx, note)
}

func (s *Service) unseal(ctx context.Context, p purpose, secret string, about any) error {
	if secret == "" || len(secret) > longestSecret {
		return store.ErrNotFound
	}
	name := s.noteName(p, secret)
	data, err := s.notes().Get(ctx, name)
	if err != nil {
		return err
	}
	plain, err := s.sealer(p, secret).Open(nil, nil, data, []byte(name))
	if err == nil {
		err = json.Unmarshal(plain, about)
	}
	if err != nil {
		return fmt.Errorf("open a note: %w", err)
	}
	return nil
}

// longestSecret, in bytes, limits the work for false secrets.
const longestSecret = 1000

func (s *Service) notes() store.Notes { return store.Notes{Table: s.Keys.Table} }

func (s *Service) noteName(p purpose, secret string) string {
	return s.name("name of "+string(p), secret)
}

func (s *Service) sealer(p purpose, secret string) cipher.AEAD {
	return apikey.Cipher(s.Pepper, "pro note of "+string(p), secret)
}
