package page

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"mime"
	"net/http"
	"sync"
)

//go:embed problem.html
var problemTemplate string

// Made when the first is shown: most starts end without one.
var problemHTML = sync.OnceValue(func() *template.Template { return template.Must(template.New("problem").Parse(problemTemplate)) })

// Problems shows problems to people as pages, whoever made them: what a handler writes as
// a problem document (RFC 9457) to a caller who would rather have HTML is held back, and
// written in the look of the other pages. Status and headers stay as they are.
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
		response, err := p.page(Language(r.Header.Get("Accept-Language")))
		if err != nil { // as a program would have it: better than nothing
			w.WriteHeader(p.status)
			_, _ = w.Write(p.document.Bytes())
			return
		}
		w.Header().Del("Content-Length")
		response.Write(w, r)
	})
}

// problemPage holds back what is a problem document, and nothing else.
type problemPage struct {
	http.ResponseWriter
	status   int // of what is held back; 0: nothing is
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

// Unwrap lets http.ResponseController reach the connection.
func (p *problemPage) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *problemPage) page(lang string) (*Response, error) {
	view := struct {
		Type, Title, Code, Detail string
		Status                    int
		Suggestions               []string
		Italian                   bool   `json:"-"`
		Heading                   string `json:"-"`
	}{Italian: lang == "it"}
	if err := json.Unmarshal(p.document.Bytes(), &view); err != nil {
		return nil, err
	}
	view.Heading = heading(p.status, view.Italian)
	var body bytes.Buffer
	if err := problemHTML().Execute(&body, view); err != nil {
		return nil, err
	}
	return Respond(p.status, Page{Language: lang, Title: view.Heading, Body: template.HTML(body.String())})
}

// heading says what kind of thing happened to somebody who came by a browser.
func heading(status int, italian bool) string {
	words := [2]string{"La richiesta non è valida", "The request is not valid"}
	switch {
	case status == http.StatusNotFound:
		words = [2]string{"Qui non c'è nulla", "There is nothing here"}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		words = [2]string{"Accesso non consentito", "Access is not allowed"}
	case status == http.StatusTooManyRequests:
		words = [2]string{"Troppe richieste", "Too many requests"}
	case status >= 500:
		words = [2]string{"Il servizio non può rispondere adesso", "The service cannot answer right now"}
	}
	if italian {
		return words[0]
	}
	return words[1]
}
