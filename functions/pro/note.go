package pro

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"verdetto/shared/store"
)

// purpose is what a note is for. A secret that opens a note of one purpose opens
// none of another: name and key of a note are derived for its purpose.
type purpose string

const (
	shownKey   purpose = "shown key"   // a key that may be looked at again
	manageLink purpose = "manage link" // whose plan a mailed link is for
	moveLink   purpose = "move link"   // between which addresses a plan is to move
)

// seal writes a note that only the bearer of a secret can read. It is encrypted
// under a key that is derived from the secret and from the pepper, and its name is
// derived likewise: who has the table alone, or the table and the pepper, can
// neither read it nor tell whose it is, and once it has expired nobody can.
func (s *Service) seal(p purpose, secret string, about any, until time.Time) (store.Note, error) {
	plain, err := json.Marshal(about)
	if err != nil {
		return store.Note{}, fmt.Errorf("seal a note: %w", err)
	}
	aead, err := s.sealer(p, secret)
	if err != nil {
		return store.Note{}, fmt.Errorf("seal a note: %w", err)
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := io.ReadFull(s.Random, nonce); err != nil {
		return store.Note{}, fmt.Errorf("seal a note: %w", err)
	}
	name := s.noteName(p, secret)
	return store.Note{Name: name, Data: aead.Seal(nonce, nonce, plain, []byte(name)),
		Until: until.UTC().Truncate(time.Second)}, nil
}

// keepNote stores a sealed note.
func (s *Service) keepNote(ctx context.Context, p purpose, secret string, about any, until time.Time) error {
	note, err := s.seal(p, secret, about, until)
	if err != nil {
		return err
	}
	return s.notes().Put(ctx, note)
}

// unseal reads the note of a purpose that a secret opens; store.ErrNotFound where there is none.
func (s *Service) unseal(ctx context.Context, p purpose, secret string, about any) error {
	if secret == "" || len(secret) > longestSecret {
		return store.ErrNotFound
	}
	name := s.noteName(p, secret)
	data, err := s.notes().Get(ctx, name)
	if err != nil {
		return err
	}
	aead, err := s.sealer(p, secret)
	if err != nil {
		return fmt.Errorf("open a note: %w", err)
	}
	if len(data) < aead.NonceSize() {
		return errors.New("open a note: it is cut short")
	}
	plain, err := aead.Open(nil, data[:aead.NonceSize()], data[aead.NonceSize():], []byte(name))
	if err == nil {
		err = json.Unmarshal(plain, about)
	}
	if err != nil {
		return fmt.Errorf("open a note: %w", err)
	}
	return nil
}

// longestSecret is more than any secret has: what is longer is nonsense.
const longestSecret = 1000

func (s *Service) notes() store.Notes { return store.Notes{Table: s.Keys.Table} }

func (s *Service) noteName(p purpose, secret string) string {
	return s.name("name of "+string(p), secret)
}

func (s *Service) sealer(p purpose, secret string) (cipher.AEAD, error) {
	block, err := aes.NewCipher(s.mac("note of "+string(p), secret))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
