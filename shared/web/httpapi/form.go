package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
)

const formType = "application/x-www-form-urlencoded"

const sendJSON = ": send the body as JSON, with Content-Type: application/json"

// form refuses JSON sent as a form, as curl -d does, because all fields would be missing.
func (a *API) form(r *http.Request, c *call) *Problem {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != formType {
		return nil //nolint:nilerr // it is no form
	}
	if p := a.foreign(r); p != nil {
		return p
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, MaxBody))
	switch {
	case err != nil && c.endpoint.route.Form:
		return BadRequest.Problem("The form is too large or incomplete. Send it again.")
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")):
		return Invalid(Fault{"Content-Type", "is " + kind + sendJSON})
	case !c.endpoint.route.Form:
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
		return nil
	}
	data, p := formAsJSON(body)
	if p == nil {
		r.Header = r.Header.Clone()
		r.Header.Set("Content-Type", "application/json")
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	}
	return p
}

// foreign refuses a form if the browser says that a page of another origin sent the form. Mail clients
// and programs send neither Origin nor Sec-Fetch-Site, and are accepted.
func (a *API) foreign(r *http.Request) *Problem {
	if len(a.origins) > 0 {
		// Behind CloudFront, Host differs from the page's origin, so only Sec-Fetch-Site counts.
		r = r.Clone(r.Context())
		r.Header.Del("Origin")
	}
	if http.NewCrossOriginProtection().Check(r) != nil {
		return BadRequest.Problem("The form was sent by a page of another site. Send it from this service's page.")
	}
	return nil
}

func formAsJSON(body []byte) ([]byte, *Problem) {
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, BadRequest.Problem("The form cannot be read.")
	}
	object := map[string]string{}
	for name, values := range fields {
		switch {
		case len(values) > 1:
			return nil, Invalid(Fault{name, "is given " + strconv.Itoa(len(values)) + " times; give it once"})
		case values[0] != "":
			object[name] = values[0]
		}
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, BadRequest.Problem("The form cannot be read.")
	}
	return data, nil
}
