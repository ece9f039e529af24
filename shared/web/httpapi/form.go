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

// form converts a posted form into the equivalent JSON object and omits empty fields. So pages work
// without scripts, and handlers parse only JSON.
func form(r *http.Request, c *call) *Problem {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != formType || !c.endpoint.route.Form {
		return nil
	}
	data, p := formAsJSON(http.MaxBytesReader(nil, r.Body, MaxBody))
	if p == nil {
		r.Header = r.Header.Clone()
		r.Header.Set("Content-Type", "application/json")
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	}
	return p
}

func formAsJSON(form io.Reader) ([]byte, *Problem) {
	body, err := io.ReadAll(form)
	if err != nil {
		return nil, BadRequest.Problem("The form is too large or incomplete. Send it again.")
	}
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
