// Package statuspage checks a service from outside and writes a status page. The page can be
// published anywhere; a host other than the service's keeps it reachable in an outage.
//
// It promises that a check changes nothing and needs no key. A service that does not answer
// gets a page too, which says so. Start reading at Ask.
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

// Status is the state of a service at a moment.
type Status struct {
	At     time.Time `json:"at"`
	Parts  []Part    `json:"parts"`
	Newest time.Time `json:"newest,omitzero"` // time of the newest published fare; zero if there are no fares
}

// Part is one checked part of the service, such as the verdicts or the alerts, with the result of
// the check.
type Part struct {
	ID    string // suffix of its name's key, after status.part. in the catalogues
	Works bool
	Took  time.Duration
}

// MarshalJSON implements json.Marshaler. The duration is in milliseconds.
func (p Part) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID           string  `json:"id"`
		Works        bool    `json:"works"`
		Milliseconds float64 `json:"milliseconds"`
	}{p.ID, p.Works, float64(p.Took.Microseconds()) / 1000})
}

// parts lists the checked parts and their paths, in order. The answer of /v1/rotte, the list of
// routes, also contains the age of the fares.
var parts = []struct{ id, path string }{
	{"page", "/"},
	{"answers", "/v1/rotte"},
	{"index", "/v1"},
	{"payments", "/v1/pro/cripta"},
}

// timeout limits the check of a part of the service. A part that answers more slowly counts as
// broken, because a visitor would think so too.
const timeout = 10 * time.Second

const maxBody = 4 << 20

// Old is the age up to which the newest fare counts as fresh: two refresh cycles.
const Old = 14 * 24 * time.Hour

// Ask checks a service at a URL.
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

// Works reports whether every part works.
func (s Status) Works() bool {
	for _, p := range s.Parts {
		if !p.Works {
			return false
		}
	}
	return true
}

// Fresh reports whether the newest fare is at most as old as Old allows.
func (s Status) Fresh() bool { return !s.Newest.IsZero() && s.At.Sub(s.Newest) <= Old }

//go:embed status.html
var source string

var page = template.Must(template.New("status").Parse(source))

// Write writes the status page in a language.
func (s Status) Write(w io.Writer, l *i18n.Language) error {
	if err := page.Execute(w, struct {
		Status
		L *i18n.Language
	}{s, l}); err != nil {
		return fmt.Errorf("write status page: %w", err)
	}
	return nil
}

// Name returns the name of a part in a language.
func (p Part) Name(l *i18n.Language) string { return l.Text("status.part." + p.ID) }

// Milliseconds returns how long the answer took.
func (p Part) Milliseconds() int64 { return p.Took.Milliseconds() }

// NewestDay returns the day of the newest fare.
func (s Status) NewestDay() string { return s.Newest.UTC().Format(time.DateOnly) }

// Moment returns the time of the check, to the minute.
func (s Status) Moment() string { return s.At.UTC().Format("2006-01-02 15:04 UTC") }
