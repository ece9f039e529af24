package httpapi

import (
	"net/http"
	"strings"
)

// readKey copies a key from Authorization: Bearer to X-Api-Key. An endpoint that reads keys but no
// tokens refuses a bearer token that is no key, because the sender expects to be identified.
func readKey(r *http.Request, c *call) *Problem {
	route, given := c.endpoint.route, r.Header.Values("Authorization")
	if len(given) == 0 || !route.Keyed() && !route.KeyInHandler {
		return nil
	}
	key, p := bearer(given)
	if route.Tokens {
		key, p = bearerOfAny(given)
	}
	if p != nil || key == "" {
		return p
	}
	if other := r.Header.Values(KeyHeader); len(other) > 0 && (len(other) > 1 || other[0] != key) {
		return BadRequest.Problem("The headers X-Api-Key and Authorization hold two different keys. Send " +
			"one of them.")
	}
	r.Header.Set(KeyHeader, key)
	return nil
}

// bearer ignores schemes other than Bearer, such as the password of a proxy, unless the header
// contains a key.
func bearer(given []string) (string, *Problem) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(given[0]), " ")
	token = strings.TrimSpace(token)
	switch isBearer := strings.EqualFold(scheme, "Bearer"); {
	case len(given) == 1 && isBearer && strings.HasPrefix(token, "vd_"):
		return token, nil
	case len(given) == 1 && !isBearer && !strings.Contains(given[0], "vd_"):
		return "", nil
	}
	return "", BadKey.Problem("The header Authorization holds no Pro key. Send the key as Authorization: "+
		"Bearer vd_... or in X-Api-Key, or leave both out for free calls within a daily quota.").
		With("WWW-Authenticate", "ApiKey")
}

func bearerOfAny(given []string) (string, *Problem) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(given[0]), " ")
	if token = strings.TrimSpace(token); len(given) != 1 || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", NoToken.Problem("The header Authorization is not of the form Bearer and an access "+
			"token.").With("WWW-Authenticate", "Bearer")
	}
	return token, nil
}
