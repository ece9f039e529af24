package compat

import (
	"errors"
	"io"
	"net/http"
	"net/url"

	"verdetto/shared/web/httpapi"
)

// free is the client_secret of anonymous callers.
const free = "free"

type grant struct {
	Type        string `json:"type"`
	ClientID    string `json:"client_id,omitempty"`
	TokenType   string `json:"token_type"`
	AccessToken string `json:"access_token"`
	ExpiresIn   int    `json:"expires_in"` // seconds
	State       string `json:"state"`
	Scope       string `json:"scope"`
}

type denial struct {
	Error       string `json:"error"`
	Description string `json:"error_description"`
	kind
}

// tokens exchanges the Pro key in client_secret, or the word free, for a token. tokens reads only
// the request body, because the SDK for Java also copies the secret into the URL.
func tokens(api *httpapi.API) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		deny := func(status int, name, description string, k kind) {
			write(w, r, status, "application/json", denial{name, description, k})
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, httpapi.MaxBody))
		form, malformed := url.ParseQuery(string(body))
		if err != nil || malformed != nil || len(form["grant_type"]) > 1 || len(form["client_id"]) > 1 ||
			len(form["client_secret"]) > 1 {
			deny(http.StatusBadRequest, "invalid_request",
				"The body is no form, or gives a field twice. Send grant_type, client_id and client_secret "+
					"as application/x-www-form-urlencoded.", invalidClient)
			return
		}
		id, secret := form.Get("client_id"), form.Get("client_secret")
		switch {
		case form.Get("grant_type") == "":
			deny(http.StatusBadRequest, "invalid_request",
				"grant_type is missing: send client_credentials, with client_id and client_secret.", invalidClient)
			return
		case form.Get("grant_type") != "client_credentials":
			deny(http.StatusBadRequest, "unsupported_grant_type", "grant_type has to be client_credentials.",
				invalidClient)
			return
		case id == "" || secret == "":
			deny(http.StatusBadRequest, "invalid_request",
				"client_id or client_secret is missing: client_id may be anything, client_secret is a Pro "+
					"key, or the word free.", invalidClient)
			return
		}
		if secret == free {
			secret = ""
		}
		token, err := api.Token(r.Context(), secret)
		var p *httpapi.Problem
		switch {
		case errors.As(err, &p) && p.Code == httpapi.PlanEnded.Code:
			deny(p.Status, "invalid_client", p.Detail, credentialsEnded)
			return
		case errors.As(err, &p) && p.Status == http.StatusUnauthorized:
			deny(p.Status, "invalid_client", "client_secret is no Pro key that is in force: it was mistyped, or "+
				"replaced by a newer one. The word free in its place is for the free calls of an address.",
				invalidClient)
			return
		case errors.As(err, &p):
			w.Header().Set("Retry-After", "5")
			deny(p.Status, "temporarily_unavailable", p.Detail, internalError)
			return
		}
		g := grant{Type: "amadeusOAuth2Token", TokenType: "Bearer", AccessToken: token,
			ExpiresIn: int(httpapi.TokenLasts.Seconds()) - 1, State: "approved"}
		if httpapi.Unfit(id, true) == "" {
			g.ClientID = id
		}
		write(w, r, http.StatusOK, "application/json", g)
	})
}
