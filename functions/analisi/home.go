package analisi

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/httpapi"
	"verdetto/shared/i18n"
	"verdetto/shared/page"
	"verdetto/shared/places"
	"verdetto/shared/store"
	"verdetto/shared/trends"
)

//go:embed home.html
var homeTemplate string

var homeHTML = template.Must(template.New("home").Parse(homeTemplate))

// home is the page at /: with two cities it is a verdict, with the first one
// alone the destinations from there, with none the question.
type home struct {
	*Service
	api *httpapi.API
}

func (s *Service) registerHome(api *httpapi.API) { api.Mount(home{s, api}, "home") }

// question is what a reader asks for.
type question struct {
	from, to string // as typed
	language *i18n.Language
	chosen   bool // the language was chosen, and is kept in links
}

func (h home) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, ok := parseQuestion(r)
	v := h.newView(q)
	v.Invented = httpapi.Data(r.Context()) == "sample"
	switch {
	case !ok:
		v.refuse(http.StatusBadRequest, "malformed")
	case q.from == "" && q.to == "":
		v.Start = true
	case q.from == "":
		v.refuse(http.StatusBadRequest, "no_origin")
	case q.to == "":
		h.destinations(r, q, &v)
	default:
		h.verdict(r, q, &v)
	}
	answer, err := v.respond(h.BaseURL)
	if err != nil {
		h.Log.ErrorContext(r.Context(), "page not written", "error", err)
		httpapi.Internal.Problem("Something went wrong on our side; it has been logged. Try again in a minute.").Write(w, r)
		return
	}
	// A browser may show it again when going back, without a request that counts.
	w.Header().Set("Cache-Control", "private, no-cache")
	answer.Write(w, r)
}

// parseQuestion reads the question; false where it is malformed.
func parseQuestion(r *http.Request) (q question, ok bool) {
	given, err := url.ParseQuery(r.URL.RawQuery)
	q.language = i18n.Accepted(r.Header.Get("Accept-Language"))
	if chosen, known := i18n.Find(given.Get("lang")); known {
		q.language, q.chosen = chosen, true
	}
	ok = err == nil
	for name, to := range map[string]*string{"da": &q.from, "a": &q.to} {
		if len(given[name]) > 1 || httpapi.Unfit(given.Get(name), false) != "" {
			ok = false
			continue
		}
		*to = strings.TrimSpace(given.Get(name))
	}
	return q, ok
}

// link is the page of a question, in the language that was chosen.
func (q question) link(from, to string) string {
	lang := ""
	if q.chosen {
		lang = q.language.Code
	}
	return pageAddress(from, to, lang)
}

// pageAddress is the address of a question's page; what is empty is left out.
func pageAddress(from, to, lang string) string {
	var b strings.Builder
	for _, p := range [][2]string{{"da", from}, {"a", to}, {"lang", lang}} {
		if p[1] != "" {
			b.WriteString(map[bool]string{true: "?", false: "&"}[b.Len() == 0] + p[0] + "=" + url.QueryEscape(p[1]))
		}
	}
	return "/" + b.String()
}

// city finds a city and names it in the reader's language.
func (q question) city(name string) (places.Place, bool) {
	p, ok := places.Find(name)
	if ok {
		p.Name = nameIn(q.language.Code, p)
	}
	return p, ok
}

// nameIn is what a city is called in a language, unless it was asked for by an
// everyday name, as Bali is. The name finds the city again.
func nameIn(lang string, p places.Place) string {
	for _, c := range places.Complete(p.Name, lang, 20) {
		if c.City == p.City {
			if same, ok := places.Find(c.Name); ok && same.City == p.City {
				return c.Name
			}
			break
		}
	}
	return p.Name
}

// refuseUnknownCity answers that a city is not known, and links to those that may have been meant.
func (v *view) refuseUnknownCity(q question, from, to places.Place, knowsFrom, knowsTo bool) {
	v.FromBad, v.ToBad = !knowsFrom, !knowsTo
	name, place := q.from, func(s string) string { return q.link(s, q.to) }
	if knowsFrom {
		name, place = q.to, func(s string) string { return q.link(queryFor(from.City, from.Name), s) }
	} else if knowsTo {
		place = func(s string) string { return q.link(s, queryFor(to.City, to.Name)) }
	}
	v.refuse(http.StatusNotFound, "unknown", "Name", name)
	for _, s := range places.Suggest(name, 5) {
		if p, ok := q.city(s); ok {
			v.Notice.Links = append(v.Notice.Links, link{p.Name, place(queryFor(p.City, p.Name))})
		}
	}
	v.Notice.Label = v.T.Text("refusal.unknown.perhaps")
}

// consumeQuota counts a call against the reader's cap, or answers that it is used up.
func (h home) consumeQuota(r *http.Request, name string, v *view) bool {
	err := h.api.ConsumeQuota(r.Context(), name)
	if err == nil {
		return true
	}
	v.refuse(http.StatusTooManyRequests, "too_many")
	v.Notice.Pro = true
	return false
}

func (h home) verdict(r *http.Request, q question, v *view) {
	from, ok1 := q.city(q.from)
	to, ok2 := q.city(q.to)
	if ok1 && ok2 && from.City == to.City {
		v.ToBad = true
		v.refuse(http.StatusBadRequest, "same")
		return
	}
	if !h.consumeQuota(r, "analisi", v) {
		return
	}
	if !ok1 || !ok2 {
		v.refuseUnknownCity(q, from, to, ok1, ok2)
		return
	}
	v.setRoute(q, from, &to)
	a, err := h.Answer(r.Context(), answer.Question{From: Named{Parameter: "da", Name: q.from}, To: Named{Parameter: "a", Name: q.to}})
	var (
		covered *answer.NotCovered
		live    *answer.NoLiveFare
	)
	switch {
	case errors.As(err, &covered):
		v.refuse(http.StatusNotFound, "not_covered")
		v.Alert = v.route.String()
	case errors.As(err, &live):
		v.refuse(http.StatusNotFound, "no_fare", "Newest", v.T.Date(newest(live.Summary)))
		v.Alert = v.route.String()
	case err != nil:
		h.refuseFailed(r, v, err)
	default:
		v.showVerdict(q, a.Summary, a.Analysis, fare.DayOf(h.Now()))
	}
}

// refuseFailed answers for an error of the service.
func (h home) refuseFailed(r *http.Request, v *view, err error) {
	h.Log.ErrorContext(r.Context(), "page failed", "error", err)
	status := http.StatusInternalServerError
	if errors.Is(err, store.ErrUnavailable) {
		status = http.StatusServiceUnavailable
	}
	v.refuse(status, "failed")
}

// maxDestinations is how many destinations are listed.
const maxDestinations = 30

func (h home) destinations(r *http.Request, q question, v *view) {
	from, ok := q.city(q.from)
	if !h.consumeQuota(r, "price-trends", v) {
		return
	}
	if !ok {
		v.refuseUnknownCity(q, from, places.Place{}, false, true)
		v.ToBad = false
		return
	}
	v.setRoute(q, from, nil)
	data, _, err := h.Coverage.Trends(r.Context(), from.City)
	if errors.Is(err, store.ErrNotFound) {
		h.RequestOrigin(r.Context(), from.City)
		v.refuse(http.StatusNotFound, "no_routes")
		return
	}
	var all trends.Origin
	if err == nil {
		all, err = trends.Decode(data)
	}
	if err != nil {
		h.refuseFailed(r, v, err)
		return
	}
	v.showDestinations(q, from, all, fare.DayOf(h.Now()))
}

// respond writes the page.
func (v *view) respond(base string) (*page.Response, error) {
	var body, head bytes.Buffer
	if err := homeHTML.ExecuteTemplate(&body, "body", v); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	v.Base = base
	if err := homeHTML.ExecuteTemplate(&head, "head", v); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return page.Respond(v.status, page.Page{
		Language: v.T, Title: v.Title, Description: v.Description, Index: v.status == http.StatusOK,
		Head: template.HTML(head.String()), Body: template.HTML(body.String()),
		Scripts: []string{"home.js"}, Others: v.others,
	})
}
