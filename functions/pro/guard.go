package pro

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

type guardInput struct {
	Accept string `header:"Accept"`
	Header string `header:"X-Api-Key" doc:"Your current key"`
	Reader
	Body struct {
		Key   string `json:"chiave,omitempty" nullable:"true" maxLength:"100" doc:"The key, sent by a page, which cannot set a header"`
		Token string `json:"t,omitempty" nullable:"true" maxLength:"100" doc:"Token of a mailed link, instead of the key"`
		Guard string `json:"protezione" enum:"si,no" doc:"si: a recovery first mails a link, and sends a key only after it is opened. no: a recovery mails a new key at once" example:"si"`
	} `contentType:"application/json"`
}

type guarding struct {
	Guarded bool `json:"guarded" doc:"Whether a recovery first mails a link"`
}

// guardView is the data of the form that switches a key's guard on or off. The form sends the key,
// or the token of a mailed link.
type guardView struct {
	view
	Guard      bool
	Key, Token string
}

// guard switches the guard of a key on or off. While the guard is on, the owner must confirm every
// recovery with a mailed link. The caller needs the key or a mailed link.
func (s *Service) guard(ctx context.Context, in *guardInput) (*page.Response, error) {
	l, person, on := in.language(), page.WantsHTML(in.Accept), in.Body.Guard == "si"
	c, err := s.customerOf(ctx, cmp.Or(in.Header, in.Body.Key), in.Body.Token)
	if err == nil {
		err = s.Keys.Change(ctx, c.ID, func(c *store.Customer) error {
			if c.Version == 0 { // erased or moved meanwhile
				return store.ErrNotFound
			}
			c.Guard = on
			return nil
		})
	}
	switch {
	case errors.Is(err, store.ErrNotFound) && person:
		return showNotice(http.StatusGone, l, "plan.gone", page.AddressIn(l, "/v1/pro/gestione"))
	case errors.Is(err, store.ErrNotFound):
		return nil, httpapi.Invalid(goneToken)
	case err != nil:
		return nil, err
	case !person:
		return asJSON(http.StatusOK, guarding{on})
	}
	text, next := "guard.off", page.AddressIn(l, "/v1/pro/gestione")
	if on {
		text = "guard.on"
	}
	if in.Body.Token != "" {
		next = backTo(l, in.Body.Token)
	}
	return showNotice(http.StatusOK, l, text, next)
}
