package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
)

// A token made from a key is valid only as long as the key and the plan, so a call with the token
// costs one read of the store.

const TokenLasts = 30 * time.Minute

var (
	NoToken      = ProblemType{Status: http.StatusUnauthorized, Code: "token-mancante", Title: "There is no token"}
	BadToken     = ProblemType{Status: http.StatusUnauthorized, Code: "token-non-valido", Title: "The token is not valid"}
	TokenEnded   = ProblemType{Status: http.StatusUnauthorized, Code: "token-scaduto", Title: "The token has ended"}
	TokenRevoked = ProblemType{Status: http.StatusUnauthorized, Code: "token-revocato", Title: "The key of the token was replaced"}
)

// For an empty key, Token returns an anonymous token, which has the free quota. For an invalid key,
// the error is a Problem.
func (a *API) Token(ctx context.Context, key string) (string, error) {
	until := a.config.Now().Add(TokenLasts)
	if key == "" {
		return a.signer.AnonymousToken(until), nil
	}
	c, hash, p := a.customer(ctx, []string{key})
	if p != nil {
		return "", p
	}
	return a.signer.CustomerToken(c.ID, hash, until), nil
}

func (a *API) holder(ctx context.Context, given []string) (none store.Customer, _ *Problem) {
	refuse := func(t ProblemType, detail string) *Problem {
		return t.Problem(detail).With("WWW-Authenticate", "Bearer")
	}
	if len(given) == 0 {
		return none, refuse(NoToken, "The header Authorization is missing: send Authorization: "+
			"Bearer and an access token.")
	}
	t, ok := a.signer.Read(given[0])
	switch {
	case !ok:
		return none, refuse(BadToken, "This is no access token of this service. Ask for a new one.")
	case !a.config.Now().Before(t.Until):
		return none, refuse(TokenEnded, "The access token has expired. Ask for a new one.")
	case t.Customer == "":
		return none, nil
	}
	c, err := a.config.Customers.Customer(ctx, t.Customer)
	if errors.Is(err, store.ErrNotFound) || err == nil &&
		(len(c.Hash) != len(apikey.Hash{}) || !a.signer.MadeFor(t, apikey.Hash(c.Hash))) {
		return none, refuse(TokenRevoked, "The key that this access token was made for was replaced or revoked. "+
			"Ask for a new token with the key that is in force.")
	}
	return c, a.inForce(ctx, c, err)
}
