package page

import (
	"bytes"
	"encoding/json"
	"html/template"
	"mime"
	"net/http"

	"verdetto/shared/text/i18n"
)

// Problems renders the problem documents of a handler as pages, for callers that prefer HTML.
func Problems(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead || !WantsHTML(r.Header.Get("Accept")) {
			h.ServeHTTP(w, r)
			return
		}
		p := &problemPage{ResponseWriter: w}
		h.ServeHTTP(p, r)
		if p.status == 0 {
			return
		}
		response, err := p.page(i18n.ForHeader(r.Header.Get("Accept-Language")))
		if err != nil {
			w.WriteHeader(p.status)
			_, _ = w.Write(p.document.Bytes())
			return
		}
		w.Header().Del("Content-Length")
		response.Write(w, r)
	})
}

type problemPage struct {
	http.ResponseWriter
	status   int
	begun    bool
	document bytes.Buffer
}

func (p *problemPage) WriteHeader(status int) {
	kind, _, err := mime.ParseMediaType(p.Header().Get("Content-Type"))
	if !p.begun && err == nil && kind == "application/problem+json" {
		p.status = status
	}
	if p.begun = true; p.status == 0 {
		p.ResponseWriter.WriteHeader(status)
	}
}

func (p *problemPage) Write(b []byte) (int, error) {
	p.begun = true
	if p.status != 0 {
		return p.document.Write(b)
	}
	return p.ResponseWriter.Write(b)
}

func (p *problemPage) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *problemPage) page(l *i18n.Language) (*Response, error) {
	view := struct {
		Type, Title, Code, Detail string
		Status                    int
		Suggestions               []string
		T                         *i18n.Language `json:"-"`
		Heading                   string         `json:"-"`
		Explanation               string         `json:"-"`
	}{T: l, Heading: heading(p.status, l)}
	if err := json.Unmarshal(p.document.Bytes(), &view); err != nil {
		return nil, err
	}
	view.Explanation, _ = l.Lookup("problem.code." + view.Code)
	var body bytes.Buffer
	if err := layout.In(l).ExecuteTemplate(&body, "problem.html", view); err != nil {
		return nil, err
	}
	return Respond(p.status, Page{Language: l, Title: view.Heading, Body: template.HTML(body.String())})
}

func heading(status int, l *i18n.Language) string {
	switch {
	case status == http.StatusNotFound:
		return l.Text("problem.nothing")
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return l.Text("problem.denied")
	case status == http.StatusTooManyRequests:
		return l.Text("problem.too_many")
	case status >= 500:
		return l.Text("problem.unavailable")
	}
	return l.Text("problem.invalid")
}
