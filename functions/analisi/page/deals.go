package page

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/web/httpapi"
)

type cheapView struct {
	City, Lede, First string
	Order             string
	Area              string
	Collecting        string
	Without           string
	Unknown           string
	Partly            bool
	Rows              []cheapRow
	More              []cheapRow
	MoreText          string
	Dear              []cheapRow
	DearText          string
	Feed              string
	Areas             []link
	MoreAreas         []link
}

const (
	maxDestinations = 60
	rowsShown       = 20
)

func (h home) cheap(r *http.Request, q question, asked answer.Question, v *view) {
	if v.Anywhere, v.Area = true, q.area(1); v.Area != nil {
		v.AskTo = v.Area.NameIn(q.language.Code)
	}
	for _, order := range orders {
		v.Orders = append(v.Orders, option{order, v.T.Text("cheap.order." + orderName(order)),
			order == q.order})
	}
	most, ok, err := h.most(r.Context(), q)
	if err != nil {
		h.refuseFailed(r, v, err)
		return
	}
	v.most = most
	fault := priceFault(v.T, q.Most, q.currency)
	if q.Most != "" && (!ok || fault != "") {
		v.refuseFaults(faults{"massimo": cmp.Or(fault, v.T.Text("ask.fault.price"))})
		return
	}
	if !h.check(r, asked, v) || !h.consumeQuota(r, q, v) {
		return
	}
	from, known := q.city(q.from)
	if !known {
		v.refuseUnknownCity(q, from, places.Place{}, false, true)
		v.ToBad = false
		return
	}
	kind := asked.Trip
	all, err := h.DealsFrom(r.Context(), from, kind)
	problem := (*httpapi.Problem)(nil)
	if kind != fare.OneWay && errors.As(err, &problem) {
		kind = fare.OneWay
		all, err = h.DealsFrom(r.Context(), from, kind)
	}
	about := q.ofAnywhere(kind)
	partly := about != q.trip
	q.trip, v.Trip = about, about
	v.setRoute(q, from, nil)
	v.explain(q)
	switch {
	case errors.As(err, &problem) && problem.Collection() != nil:
		v.refuseCollecting(problem.Collection())
		return
	case errors.As(err, &problem):
		v.refuse(http.StatusNotFound, "no_routes")
		return
	case err != nil:
		h.refuseFailed(r, v, err)
		return
	}
	filter := deals.Filter{NonStop: asked.NonStop, Airlines: asked.Airlines}
	if asked.When != nil && kind == fare.OneWay { // one-way deals are by month, so a day means its month
		filter.Month = &asked.When.Date
	}
	standing, unknown := published.ValidDeals(all, v.today, filter)
	countries, others := v.areasOf(q, standing)
	if area := v.Area; area != nil {
		standing = slices.DeleteFunc(standing, func(d published.DestinationDeal) bool { return !area.HoldsCity(d.To) })
	}
	if err := h.JudgeToday(r.Context(), from.City, kind, asked.NonStop, standing); err != nil {
		h.refuseFailed(r, v, err)
		return
	}
	sortDeals(standing, q.order)
	v.showCheap(q, from, standing, kind, most)
	if v.Cheap != nil {
		v.Cheap.Partly, v.Cheap.Collecting = partly, collecting(v, all)
		v.Cheap.Areas, v.Cheap.MoreAreas = countries, others
		v.Cheap.Without = v.without(from.City, all)
		if unknown > 0 {
			v.Cheap.Unknown = v.T.Text("cheap.unknown_airline", "Number", unknown)
		}
	}
}

func collecting(v *view, all deals.Origin) string {
	c, ok := all.Collection(v.today)
	if !ok {
		return ""
	}
	return wording.Collecting(v.T, &c)
}

func (v *view) showCheap(q question, from places.Place, all []published.DestinationDeal, kind fare.Trip, most fare.Cents) {
	l := v.T
	if v.Area == nil || !v.Area.IsRegion() { // an alert cannot be for a region
		v.Alert = string(from.City) + "-*"
	}
	c := &cheapView{City: from.Name, Lede: l.Text("cheap.lede")}
	if area := v.Area; area != nil {
		c.Area = area.NameIn(l.Code)
	}
	if q.month != 0 {
		c.Lede = l.Text("cheap.lede_month", "Month", l.MonthOf(q.month))
	}
	if kind != fare.OneWay {
		c.Lede = l.Text("cheap.lede_returns", "Nights", wording.NightRange(kind.String()))
	}
	c.Order = l.Text("cheap.first_by." + orderName(q.order))
	fitting, dear := 0, 0
	for _, d := range all {
		switch {
		case most > 0 && d.Fare.Price > most:
		case d.OwnDay.Level == verdict.Expensive:
			if dear++; dear <= maxDestinations {
				c.Dear = append(c.Dear, v.cheapRow(q, d))
			}
		default:
			if fitting++; fitting <= maxDestinations {
				c.Rows = append(c.Rows, v.cheapRow(q, d))
			}
		}
	}
	switch {
	case fitting+dear == 0 && q.trip == trip{} && v.Area == nil:
		v.refuse(http.StatusNotFound, "no_fares")
		return
	case fitting+dear == 0:
		v.refuse(http.StatusNotFound, "no_cheap", "City", from.Name)
		v.widen(q, q.to, widening{"maximum", func(t *trip) { t.Most = "" }}, anyStops, anyAirline, anyDay)
		return
	case fitting > len(c.Rows):
		c.First = l.Text("cheap.first", "Shown", len(c.Rows), "All", fitting)
	}
	if len(c.Rows) > rowsShown {
		c.Rows, c.More = c.Rows[:rowsShown], c.Rows[rowsShown:]
		c.MoreText = l.Count("cheap.rest", len(c.More))
	}
	if dear > 0 {
		c.DearText = l.Count("cheap.dear", dear)
	}
	if v.AllFares && kind == fare.OneWay && v.plain {
		c.Feed = feedPath(from.City, l)
	}
	v.Cheap = c
	v.Description = c.Lede
}

const maxBusiest = 5

func (v *view) without(origin fare.City, all deals.Origin) string {
	if v.Area == nil {
		return ""
	}
	known := map[fare.City]bool{origin: true}
	for _, ofStops := range []bool{false, true} {
		valid, _ := published.ValidDeals(all, v.today, deals.Filter{NonStop: ofStops})
		for _, d := range valid {
			known[d.To] = true
		}
	}
	var missing []string
	busiest := 0
	for city := range places.Cities() {
		if countryOf(city) != v.Area.Code && !(v.Area.IsRegion() && v.Area.HoldsCity(city)) {
			continue
		}
		if busiest++; busiest > maxBusiest {
			break
		}
		if !known[city] {
			missing = append(missing, places.Name(city, v.T.Code))
		}
	}
	if len(missing) == 0 {
		return ""
	}
	return v.T.Text("cheap.without", "Cities", v.T.List(missing))
}

// area returns nil if no area has the name, or if a city has the same name.
func (q question) area(end int) *places.Area {
	named := q.ends[end]
	if named.Means.City != "" {
		return nil
	}
	if a, ok := places.FindArea(named.Name); ok {
		return &a
	}
	return nil
}

func countryOf(c fare.City) string {
	p, _ := places.Get(c)
	return p.Country
}

const maxAreas = 12

// The result named first holds the maxAreas countries with the most destinations. Both results are
// sorted by name.
func (v *view) areasOf(q question, all []published.DestinationDeal) (first, others []link) {
	found := map[string]int{}
	for _, d := range all {
		found[countryOf(d.To)]++
	}
	if len(found) < 2 {
		return nil, nil
	}
	codes := slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(found[b], found[a]), cmp.Compare(a, b))
	})
	var links []link
	for _, code := range codes {
		if a, ok := places.AreaOf(code); ok {
			name := a.NameIn(v.T.Code)
			links = append(links, link{name, q.withChoices(q.link(v.AskFrom, name))})
		}
	}
	first, others = links[:min(len(links), maxAreas)], links[min(len(links), maxAreas):]
	for _, some := range [][]link{first, others} {
		slices.SortFunc(some, func(a, b link) int { return cmp.Compare(places.Fold(a.Text), places.Fold(b.Text)) })
	}
	return first, others
}

const maxOrigins = 12

func (h home) origins(r *http.Request, q question, v *view) {
	area := q.area(0)
	name := area.NameIn(v.T.Code)
	v.FromBad = true
	v.refuse(http.StatusNotFound, "country", "Name", name)
	v.explain(q)
	covered, _ := h.Cities.Suggest(r.Context(), "", v.T.Code)
	for _, c := range covered {
		if area.HoldsCity(c) && len(v.Notice.Links) < maxOrigins {
			city := places.Name(c, v.T.Code)
			v.Notice.Links = append(v.Notice.Links, link{city, q.link(places.Query(c, city), q.to)})
		}
	}
}
