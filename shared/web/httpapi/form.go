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

// formType is the media type of what a page's form sends.
const formType = "application/x-www-form-urlencoded"

// form hands on the fields of a form that a browser posted as the JSON object
// that a program would have sent; fields left empty are left out. So a page works
// without a script, and handlers know one kind of body only. Where an endpoint
// takes no forms it is left as it is.
func (a *API) form(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || kind != formType || !callOf(r.Context()).endpoint.route.Form {
			next.ServeHTTP(w, r)
			return
		}
		data, p := formAsJSON(http.MaxBytesReader(w, r.Body, MaxBody))
		if p != nil {
			p.Write(w, r)
			return
		}
		r2 := *r
		r2.Header = r.Header.Clone()
		r2.Header.Set("Content-Type", "application/json")
		r2.Body, r2.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
		next.ServeHTTP(w, &r2)
	})
}

func formAsJSON(form io.Reader) ([]byte, *Problem) {
	body, err := io.ReadAll(form)
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
	return data, nil
}
