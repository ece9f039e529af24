package pro

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/page"
)

// Mail scanners open links, so opening a link changes nothing: the link's page has a button.
const (
	undoLink  = "/v1/pro/recupera/annulla"
	agreePath = "/v1/pro/recupera/conferma"
)

const (
	guardTime  = 30 * 24 * time.Hour // time after an undone recovery in which recoveries need a confirmation
	offerTime  = 48 * time.Hour      // how long the link to confirm is valid
	ownedBytes = 12                  // bytes of a key's hash in a link to undo
	macBytes   = 16
)

func (s *Service) mac(purpose, text string) []byte {
	return apikey.MAC(s.Pepper, "pro "+purpose, text)
}

func (s *Service) derived(purpose, text string) io.Reader {
	return strings.NewReader(string(s.mac(purpose, text)))
}

// name returns a name that nobody can guess without the pepper.
func (s *Service) name(purpose, text string) string {
	return hex.EncodeToString(s.mac(purpose, text)[:macBytes])
}

func (s *Service) offerID(j store.Job) string { return s.name("offer", j.Name()) }

func (s *Service) undoPath(id apikey.CustomerID, owned []byte) string {
	text := string(id) + "." + base64.RawURLEncoding.EncodeToString(owned[:ownedBytes])
	return undoLink + "?t=" + text + "." + s.name("undo", text)
}

func (s *Service) openUndo(token string) (id apikey.CustomerID, owned []byte, ok bool) {
	cut := strings.LastIndexByte(token, '.')
	if cut < 0 || len(token) > 200 || !hmac.Equal([]byte(s.name("undo", token[:cut])), []byte(token[cut+1:])) {
		return "", nil, false
	}
	customer, hash, _ := strings.Cut(token[:cut], ".")
	owned, err := base64.RawURLEncoding.DecodeString(hash)
	return apikey.CustomerID(customer), owned, err == nil && len(owned) == ownedBytes
}

type linkInput struct {
	Token          string `query:"t" doc:"Token of a mail, for one purpose"`
	AcceptLanguage string `header:"Accept-Language"`
}

func (s *Service) undoPage(ctx context.Context, in *linkInput) (*page.Response, error) {
	return s.undoing(ctx, in, "undo", s.Keys.Undoable)
}

// undo is idempotent.
func (s *Service) undo(ctx context.Context, in *linkInput) (*page.Response, error) {
	return s.undoing(ctx, in, "undone", func(ctx context.Context, id apikey.CustomerID, owned []byte) error {
		return s.Keys.Undo(ctx, id, owned, s.Now().Add(guardTime))
	})
}

func (s *Service) undoing(ctx context.Context, in *linkInput, done string,
	do func(context.Context, apikey.CustomerID, []byte) error) (*page.Response, error) {
	l := i18n.ForHeader(in.AcceptLanguage)
	id, owned, ok := s.openUndo(in.Token)
	if !ok {
		return showLink(http.StatusBadRequest, l, "broken", "")
	}
	err := do(ctx, id, owned)
	switch {
	case errors.Is(err, store.ErrNothingToUndo):
		return showLink(http.StatusGone, l, "past", "")
	case err != nil:
		return nil, err
	}
	return showLink(http.StatusOK, l, done, undoLink+"?t="+in.Token)
}

func (s *Service) agreePage(ctx context.Context, in *linkInput) (*page.Response, error) {
	return s.agreeing(ctx, in, "agree", s.Outbox.CheckOffer)
}

// agree is idempotent.
func (s *Service) agree(ctx context.Context, in *linkInput) (*page.Response, error) {
	return s.agreeing(ctx, in, "agreed", func(ctx context.Context, id string) error {
		err := s.Outbox.Accept(ctx, id, s.Now())
		s.signal()
		return err
	})
}

func (s *Service) agreeing(ctx context.Context, in *linkInput, done string,
	do func(context.Context, string) error) (*page.Response, error) {
	l := i18n.ForHeader(in.AcceptLanguage)
	if id, err := hex.DecodeString(in.Token); err != nil || len(id) != macBytes {
		return showLink(http.StatusBadRequest, l, "broken", "")
	}
	err := do(ctx, in.Token)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return showLink(http.StatusGone, l, "expired", "")
	case err != nil:
		return nil, err
	}
	return showLink(http.StatusOK, l, done, agreePath+"?t="+in.Token)
}
