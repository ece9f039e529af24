package page

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"

	"verdetto/shared/answer"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/text/wording"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

//go:embed home.html calendar.html deals.html part.html
var homeTemplates embed.FS

var homeHTML = template.Must(template.ParseFS(homeTemplates, "*.html"))

// home is the page at /. With two cities it shows a verdict, with an origin only the deals from
// there, and without cities the empty form.
type home struct {
	*Service
	api *httpapi.API
}

func (s *Service) registerHome(api *httpapi.API) { api.Mount(home{s, api}, "home") }

func (h home) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, ok := parseQuestion(r)
	asked, wrong := q.read(q.language)
	asked.From, asked.To = answer.Named{Parameter: "da", Name: q.from}, answer.Named{Parameter: "a", Name: q.to}
	v := h.newView(q)
	v.Invented = httpapi.Data(r.Context()) == "sample"
	v.AllFares = httpapi.AllFares(r.Context())
	switch {
	case !ok:
		v.refuse(http.StatusBadRequest, "malformed")
	case len(wrong) > 0:
		v.refuseFaults(wrong)
	case q.from == "" && q.to == "":
		v.Start = true
		v.covered, _ = h.Cities.Offered(r.Context(), "", q.language.Code)
	case q.from == "":
		v.refuse(http.StatusBadRequest, "no_origin")
	case q.to == "":
		h.cheap(r, q, asked, &v)
	default:
		q.Most, v.Trip.Most = "", "" // a maximum applies only to lists of destinations
		h.verdict(r, q, asked, &v)
	}
	answer, err := v.respond(h.BaseURL)
	if err != nil {
		h.Log.ErrorContext(r.Context(), "page not written", "error", err)
		httpapi.Internal.Problem("Something went wrong on our side and was logged. Call again "+
			"in a minute.").Write(w, r)
		return
	}
	// A browser may show the page again on Back, without a request that counts.
	w.Header().Set("Cache-Control", "private, no-cache")
	answer.Write(w, r)
}

// refuseUnknownCity reports an unknown city, with links to similar names.
func (v *view) refuseUnknownCity(q question, from, to places.Place, knowsFrom, knowsTo bool) {
	v.FromBad, v.ToBad = !knowsFrom, !knowsTo
	name, place := q.from, func(s string) string { return q.link(s, q.to) }
	if knowsFrom {
		name, place = q.to, func(s string) string { return q.link(places.Query(from.City, from.Name), s) }
	} else if knowsTo {
		place = func(s string) string { return q.link(s, places.Query(to.City, to.Name)) }
	}
	v.refuse(http.StatusNotFound, "unknown", "Name", name)
	for _, s := range places.Suggest(name, 5) {
		if p, ok := q.city(s); ok {
			v.Notice.Links = append(v.Notice.Links, link{p.Name, place(places.Query(p.City, p.Name))})
		}
	}
	v.Notice.Label = v.T.Text("refusal.unknown.perhaps")
}

// consumeQuota counts a call toward the reader's quota, or shows that it is used up.
func (h home) consumeQuota(r *http.Request, name string, v *view) bool {
	err := h.api.ConsumeQuota(r.Context(), name)
	if err == nil {
		return true
	}
	v.refuse(http.StatusTooManyRequests, "too_many")
	return false
}

func (h home) verdict(r *http.Request, q question, asked answer.Question, v *view) {
	if !h.check(r, asked, v) || !h.consumeQuota(r, "analisi", v) {
		return
	}
	from, ok1 := q.city(q.from)
	to, ok2 := q.city(q.to)
	if !ok1 || !ok2 {
		v.refuseUnknownCity(q, from, to, ok1, ok2)
		return
	}
	v.setRoute(q, from, &to)
	v.Places = wording.Places(q.language, q.from, q.to)
	a, calendar, err := h.WithCalendar(r.Context(), asked, v.AllFares)
	var (
		covered *answer.NotCovered
		live    *answer.NoLiveFare
		noFare  *answer.NoFareOn
		stops   *answer.StopsUnknown
	)
	switch {
	case errors.As(err, &covered):
		v.refuseNotCovered(q, asked)
	case errors.As(err, &live):
		v.refuse(http.StatusNotFound, "no_fare", "Newest", v.T.Date(newest(live.Summary)))
		v.Notice.Seen = q.Seen == ""
		v.instead(q)
	case errors.As(err, &noFare):
		v.refuseNoFareOn(q, noFare)
	case errors.As(err, &stops):
		v.refuse(http.StatusNotFound, "stops_unknown")
		v.instead(q)
	case err != nil:
		h.refuseFailed(r, v, err)
	case asked.When != nil:
		v.showDeparture(q, asked, a.Analysis)
		if asked.When.Span == nil {
			h.showMoves(r.Context(), v, asked, a)
		}
	default:
		v.showVerdict(q, asked, a, v.today)
	}
	if v.Verdict != nil {
		v.showCalendar(q, asked, a.Analysis, calendar)
		v.describeMonths(q, a.Analysis)
	}
}

// check refuses a question that cannot have an answer, before it is counted.
func (h home) check(r *http.Request, asked answer.Question, v *view) bool {
	wrong := faults{}
	for _, part := range []answer.Question{{From: asked.From, To: asked.To}, {When: asked.When}, {Price: asked.Price}} {
		err := h.Reader.Check(r.Context(), part)
		var same *answer.SameCity
		switch {
		case err == nil, wrong.refused(v.T, err):
		case errors.As(err, &same):
			v.ToBad = true
			v.refuse(http.StatusBadRequest, "same")
			return false
		default:
			h.refuseFailed(r, v, err)
			return false
		}
	}
	if len(wrong) > 0 {
		v.refuseFaults(wrong)
		return false
	}
	return true
}

func (h home) refuseFailed(r *http.Request, v *view, err error) {
	h.Log.ErrorContext(r.Context(), "page failed", "error", err)
	status := http.StatusInternalServerError
	if errors.Is(err, store.ErrUnavailable) {
		status = http.StatusServiceUnavailable
	}
	v.refuse(status, "failed")
}

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
		// pages of trips are not indexed: there are too many
		Language: v.T, Title: v.Title, Description: v.Description, Index: v.status == http.StatusOK && v.Trip == trip{},
		Head: template.HTML(head.String()), Body: template.HTML(body.String()),
		Scripts: []string{"home.js"}, Others: v.others,
		Found: page.Found{Base: base, Itself: v.Itself, In: v.Alternates, Any: v.Alternates[0].Address},
	})
}
