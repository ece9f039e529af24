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

// fromForm reads the fields of a form that a browser posted as the JSON object
// that a program would have sent; fields left empty are left out. So a page
// works without a script, and handlers know one form of body only.
func fromForm(w http.ResponseWriter, r *http.Request) (*http.Request, *Problem) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/x-www-form-urlencoded" {
		return r, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		return nil, BadRequest.Problem("The form is too large, or broke off.")
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
	r2 := *r
	r2.Header = r.Header.Clone()
	r2.Header.Set("Content-Type", "application/json")
	r2.Body, r2.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	return &r2, nil
}
