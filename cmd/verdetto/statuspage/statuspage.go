// Package statuspage asks a service from outside how it is, and makes one page of
// it that can be published anywhere: best where the service itself is not, so that
// the page is there when the service is not.
//
// It promises that asking changes nothing and needs no key, and that a service that
// does not answer gives a page too, which says so.
package statuspage

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"time"

	"verdetto/shared/text/i18n"
)

// Status is how a service was at a moment.
type Status struct {
	At     time.Time
	Parts  []Part
	Newest time.Time // when the newest fare that it tells of was found; zero where it tells of none
}

// Part is one thing that a service does.
type Part struct {
	ID    string // of its name, below status.part in the catalogues
	Works bool
	Took  time.Duration
}

// parts are asked in this order. One of them says how old fares are.
var parts = []struct{ id, path string }{
	{"page", "/"},
	{"answers", "/v1/rotte"},
	{"index", "/v1"},
	{"payments", "/v1/pro/cripta"},
}

// timeout is how long a part may take. Whoever waits longer calls it broken.
const timeout = 10 * time.Second

const maxBody = 4 << 20

// Old is how old the newest fare may be: two cycles of refreshes.
const Old = 14 * 24 * time.Hour

// Ask asks a service at a URL.
func Ask(ctx context.Context, client *http.Client, url string, now func() time.Time) Status {
	s := Status{At: now()}
	for _, p := range parts {
		begun := now()
		body, works := get(ctx, client, url+p.path)
		s.Parts = append(s.Parts, Part{p.id, works, now().Sub(begun)})
		var routes struct {
			Rotte []struct {
				AggiornatoIl time.Time `json:"aggiornatoIl"`
			} `json:"rotte"`
		}
		if p.id == "answers" && json.Unmarshal(body, &routes) == nil {
			for _, r := range routes.Rotte {
				if r.AggiornatoIl.After(s.Newest) {
					s.Newest = r.AggiornatoIl
				}
			}
		}
	}
	return s
}

func get(ctx context.Context, client *http.Client, url string) (body []byte, works bool) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, false
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, false
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxBody))
	return body, err == nil && response.StatusCode == http.StatusOK
}

// Works tells whether every part does.
func (s Status) Works() bool {
	for _, p := range s.Parts {
		if !p.Works {
			return false
		}
	}
	return true
}

// Fresh tells whether fares are as new as they are to be.
func (s Status) Fresh() bool { return !s.Newest.IsZero() && s.At.Sub(s.Newest) <= Old }

//go:embed status.html
var source string

var page = template.Must(template.New("status").Parse(source))

// Write writes the page in a language.
func (s Status) Write(w io.Writer, l *i18n.Language) error {
	if err := page.Execute(w, struct {
		Status
		L *i18n.Language
	}{s, l}); err != nil {
		return fmt.Errorf("write status page: %w", err)
	}
	return nil
}

// Name is what a part is called.
func (p Part) Name(l *i18n.Language) string { return l.Text("status.part." + p.ID) }

// Milliseconds is how long it took.
func (p Part) Milliseconds() int64 { return p.Took.Milliseconds() }

// NewestDay is the day of the newest fare.
func (s Status) NewestDay() string { return s.Newest.UTC().Format(time.DateOnly) }

// Moment is when it was asked, to the minute.
func (s Status) Moment() string { return s.At.UTC().Format("2006-01-02 15:04 UTC") }
