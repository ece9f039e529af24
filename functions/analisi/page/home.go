package page

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/text/wording"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
	"verdetto/shared/web/routes"
)

//go:embed *.html
var homeTemplates embed.FS

var homeHTML = page.Templates{Files: homeTemplates}

type home struct {
	*Service
	api *httpapi.API
}

func (s *Service) registerHome(api *httpapi.API) {
	parameters := []string{"lang", "era"}
	for _, f := range new(question).parameters() {
		parameters = append(parameters, f.name)
	}
	api.Mount(home{s, api}, "home", parameters...)
}

func (h home) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if query, cleaned := cleanQuery(r); cleaned {
		w.Header().Set("Cache-Control", "private, no-cache")
		http.Redirect(w, r, strings.TrimSuffix("/?"+query, "?"), http.StatusSeeOther)
		return
	}
	q, ok := parseQuestion(r)
	read := q.splitEnds(fare.DayOf(h.Now()))
	q.ends = [2]answer.Named{answer.Name("da", q.from), answer.Name("a", q.to)}
	q.compareDestinations()
	today := answer.Today(q.ends[0].Means.Place, h.Now())
	read = append(read, q.readDays(q.language, today)...)
	read = append(read, q.forgetPast(today)...)
	read = append(read, wording.CorrectAirlines(q.language, &q.Airline)...)
	read = append(read, wording.CorrectAirlines(q.language, &q.WithoutAirline)...)
	typed := q
	asked, wrong := q.read(q.language, q.currency)
	asked.From, asked.To = q.ends[0], q.ends[1]
	v := h.newView(q)
	v.Read = read
	unconverted := h.useCurrency(r.Context(), q, &v)
	_, incomparable := q.others(v.today)
	if wrong.refused(v.T, unconverted) {
		unconverted = nil
	}
	v.Printed = cmp.Or(h.BaseURL, r.Host) + q.link(q.from, q.to) + " · " + v.T.Date(fare.DayOf(h.Now()))
	v.Invented = httpapi.Data(r.Context()) == "sample"
	v.AllFares = httpapi.AllFares(r.Context())
	switch {
	case !ok:
		v.refuse(http.StatusBadRequest, "malformed")
	case unconverted != nil:
		h.refuseFailed(r, &v, unconverted)
	case len(wrong) > 0:
		v.refuseFaults(wrong)
	case incomparable != "":
		v.refuseFaults(faults{"con": incomparable})
	case q.from == "" && q.to == "":
		v.Start = true
		v.covered, _ = h.Cities.Suggest(r.Context(), "", q.language.Code)
		if len(v.covered) == 0 {
			if c := h.BeforeFares(r.Context()); c != nil {
				v.Collecting = wording.BeforeFares(v.T, *c)
			}
		}
	case q.from == "":
		v.refuse(http.StatusBadRequest, "no_origin")
	case q.area(0) != nil:
		h.origins(r, q, &v)
	case q.to == "" || q.area(1) != nil:
		h.cheap(r, q, asked, &v)
	default:
		q.Most, v.Trip.Most = "", "" // a maximum applies only to lists of destinations
		h.verdict(r, q, asked, &v)
	}
	v.keep(typed)
	answer, err := v.respond(h.BaseURL)
	if err != nil {
		h.Log.ErrorContext(r.Context(), "a page could not be written, and its reader was told to come back: this is a fault of the program", "error", err)
		httpapi.Internal.Problem("Something went wrong on our side and was logged. Call again "+
			"in a minute.").Write(w, r)
		return
	}
	// When the reader goes back, a browser may show its stored copy, which does not use the reader's
	// quota.
	w.Header().Set("Cache-Control", "private, no-cache")
	answer.Write(w, r)
}

func (v *view) refuseUnknownCity(q question, from, to places.Place, knowsFrom, knowsTo bool) {
	v.FromBad, v.ToBad = !knowsFrom, !knowsTo
	var perhapsFrom, perhapsTo []places.Place
	if knowsFrom {
		perhapsFrom = []places.Place{from}
	} else {
		perhapsFrom = q.perhaps(q.from)
	}
	if knowsTo {
		perhapsTo = []places.Place{to}
	} else {
		perhapsTo = q.perhaps(q.to)
	}
	best := func(all []places.Place, typed string) string {
		if len(all) == 0 {
			return typed
		}
		return places.Query(all[0].City, all[0].Name)
	}
	unknown := q.ends[0]
	if knowsFrom {
		unknown = q.ends[1]
	}
	v.refuse(http.StatusNotFound, "unknown", "Name", unknown.Name)
	switch m := unknown.Means; {
	case m.Elsewhere != "":
		v.Notice.Lede = v.T.Text("refusal.unknown.elsewhere", "Name", m.Elsewhere, "Area", m.There(v.T.Code))
	case !knowsFrom && !knowsTo:
		v.refuse(http.StatusNotFound, "unknown_both", "From", q.from, "To", q.to)
	}
	v.Notice.Label = v.T.Text("refusal.unknown.perhaps")
	for _, p := range perhapsFrom {
		if knowsFrom {
			break
		}
		name := p.Name
		if !knowsTo && len(perhapsTo) > 0 {
			name = routeName(v.T, p.Name, perhapsTo[0].Name)
		}
		v.Notice.Links = append(v.Notice.Links, link{name, q.link(places.Query(p.City, p.Name), best(perhapsTo, q.to))})
	}
	if area, ok := places.SuggestArea(q.to); knowsFrom && ok {
		name := area.NameIn(q.language.Code)
		v.Notice.Links = append(v.Notice.Links, link{name, q.link(best(perhapsFrom, q.from), name)})
	}
	for i, p := range perhapsTo {
		if knowsTo || !knowsFrom && i == 0 && len(perhapsFrom) > 0 { // the links above contain perhapsTo[0]
			continue
		}
		name := p.Name
		if !knowsFrom && len(perhapsFrom) > 0 {
			name = routeName(v.T, perhapsFrom[0].Name, p.Name)
		}
		v.Notice.Links = append(v.Notice.Links, link{name, q.link(best(perhapsFrom, q.from), places.Query(p.City, p.Name))})
	}
}

func (q question) perhaps(name string) (all []places.Place) {
	typos := func(s string) int { return places.Distance(places.Fold(name), places.Fold(s), 2) }
	similar := places.Suggest(name, 5)
	if slices.ContainsFunc(similar, func(s string) bool { return typos(s) <= 1 }) {
		similar = slices.DeleteFunc(similar, func(s string) bool { return typos(s) > 1 })
	}
	for _, s := range similar {
		if p, ok := q.city(s); ok {
			all = append(all, p)
		}
	}
	return all
}

const fewQuestions = 20

func (h home) consumeQuota(r *http.Request, q question, v *view) bool {
	if h.api.ConsumeQuota(r.Context(), "home") == nil {
		if n, known := httpapi.Remaining(r.Context()); known && n <= fewQuestions {
			v.Remaining = v.T.Text("home.last")
			if n > 0 {
				v.Remaining = v.T.Count("home.remaining", int(n))
			}
			v.Remaining += " " + h.renewed(v)
		}
		return true
	}
	from, knownFrom := q.city(q.from)
	to, knownTo := q.city(q.to)
	if knownFrom && knownTo {
		v.setRoute(q, from, &to)
		v.Alert = v.alertRoute()
	} else if knownFrom && v.Anywhere {
		v.Alert = string(from.City) + "-*"
	}
	v.refuse(http.StatusTooManyRequests, "too_many")
	v.Notice.Lede += " " + h.renewed(v)
	return false
}

func (h home) renewed(v *view) string {
	const hours = 24
	return v.T.Count("home.renewed", hours-h.Now().UTC().Hour())
}

// cleanQuery omits empty parameters, which a form without a script sends.
func cleanQuery(r *http.Request) (string, bool) {
	sent := strings.Split(r.URL.RawQuery, "&")
	both := r.FormValue("mese") != "" && r.FormValue("quando") != ""
	kept := slices.DeleteFunc(slices.Clone(sent), func(one string) bool {
		name, value, _ := strings.Cut(one, "=")
		return value == "" || name == "era" && !both
	})
	return strings.Join(kept, "&"), r.URL.RawQuery != "" && len(kept) < len(sent)
}

func (h home) verdict(r *http.Request, q question, asked answer.Question, v *view) {
	if !h.check(r, asked, v) || !h.consumeQuota(r, q, v) {
		return
	}
	from, ok1 := q.city(q.from)
	to, ok2 := q.city(q.to)
	if !ok1 || !ok2 {
		v.refuseUnknownCity(q, from, to, ok1, ok2)
		return
	}
	v.setRoute(q, from, &to)
	v.explain(q)
	if q.Stay != "" {
		h.stays(r, q, asked, v)
		return
	}
	a, calendar, err := h.WithCalendar(r.Context(), asked, v.AllFares)
	v.setAirports(q, a.SeriesData)
	v.Places = wording.Places(q.language, a.Judgement.Pair, q.ends[0].Means, q.ends[1].Means)
	switch none := answer.Why(err); {
	case none.Unseen():
		v.refuseNotCovered(q, none)
		for _, m := range none.Ends {
			if m.Part != "" && m.Reading != places.Renamed {
				v.Readings = append(v.Readings, wording.Part(v.T, m))
			}
		}
	case none != nil && none.Reason == answer.NoFareOn:
		v.refuseNoFareOn(q, none)
		h.showLast(r.Context(), v, asked, none)
	case none != nil:
		v.refuseFor(none)
		v.Notice.CanJudgeOwn = none.Reason == answer.NoFare && q.OwnPrice == ""
		v.instead(q)
	case err != nil:
		h.refuseFailed(r, v, err)
	default:
		v.showVerdict(q, asked, a, calendar)
		if asked.When != nil && asked.When.Span == nil {
			h.showMoves(r.Context(), v, asked, a)
		}
	}
	if v.Verdict != nil {
		h.showNear(r.Context(), q, asked, a.Judgement.Fare.Price, v)
	} else if v.status == http.StatusNotFound {
		h.showPair(r.Context(), q, asked, v)
		h.showNear(r.Context(), q, asked, 0, v)
	}
	if v.status < http.StatusInternalServerError {
		h.compare(r.Context(), q, asked, a, v)
	}
	if v.Verdict != nil {
		from, to := v.shortest(v.route.Origin, v.AskFrom), v.shortest(v.route.Destination, v.AskTo)
		linkOn := func(t trip) string { return q.linkOn(t, from, to) }
		v.listDays(q, asked, calendar, linkOn)
		v.showCalendar(q, asked, a.Judgement, calendar, linkOn)
		v.describeMonths(q, a.Judgement, linkOn)
	}
}

// check runs before the question counts toward the quota.
func (h home) check(r *http.Request, asked answer.Question, v *view) bool {
	wrong := faults{}
	for _, part := range []answer.Question{{From: asked.From, To: asked.To}, {From: asked.From, When: asked.When}, {Price: asked.Price}} {
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
	h.Log.ErrorContext(r.Context(), "a page failed, and its reader was told to come back; look at the store if this lasts", "error", err)
	status := http.StatusInternalServerError
	if errors.Is(err, store.ErrUnavailable) {
		status = http.StatusServiceUnavailable
	}
	v.refuse(status, "failed")
}

func (v *view) Sold() bool { return !routes.NothingSold.Load() }

const bodySize = 40 << 10

func (v *view) respond(base string) (*page.Response, error) {
	var body, head strings.Builder
	body.Grow(bodySize)
	if err := homeHTML.In(v.T).ExecuteTemplate(&body, "body", v); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	v.Base = base
	if err := homeHTML.In(v.T).ExecuteTemplate(&head, "head", v); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	start := ""
	if v.Currency != "" {
		start = page.AddressIn(v.T, "/") + "&valuta=" + v.Currency
	}
	return page.Respond(v.status, page.Page{
		Start:    start,
		Language: v.T, Title: v.Title, Description: v.Description,
		// Pages of trips are not indexed, because there are too many of them.
		Index: v.status == http.StatusOK && v.Trip == trip{} && v.Currency == "" && v.plain,
		Head:  template.HTML(head.String()), Body: template.HTML(body.String()),
		Scripts: []string{"home.js"}, Others: v.others,
		Search: page.SearchAddresses{Base: base, Itself: v.Itself, Languages: v.Alternates, Any: v.Alternates[0].Address},
	})
}
