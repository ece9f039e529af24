package agents

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// addTools adds all MCP tools to a server. Each tool has three functions: one parses its arguments,
// one checks the question before the call counts, and one answers.
func (s *Service) addTools(server *mcp.Server) {
	a := s.Answers
	addTool(s, server, "flight_price_verdict", (*tripInput).question, a.Check, s.verdict)
	addTool(s, server, "compare_trips", (*comparisonInput).question, a.CheckTrips, s.comparison)
	addTool(s, server, "cheapest_months", (*routeInput).question, a.Check, s.months)
	addTool(s, server, "when_to_book", (*routeInput).question, a.Check, s.window)
	addTool(s, server, "watched_routes", (*coveredInput).question, nil, s.routes)
	addTool(s, server, "price_trends", (*trendsInput).question, s.checkTrends, s.trends)
	addTool(s, server, "fare_calendar", (*calendarInput).question, a.Check, s.calendar)
	addTool(s, server, "cheap_now", (*dealsInput).question, a.CheckDeals, s.deals)
	addTool(s, server, "departure_history", (*historyInput).question, s.checkHistory, s.history)
	addTool(s, server, "usage", (*usageInput).question, nil, s.usage)
}

// maxDestinations is the largest number of destinations or days in one answer. The full list would
// fill most of a small model's context.
const maxDestinations = 20

// pageOf returns at most maxDestinations elements after the first skip elements. It also returns
// how many elements it skipped.
func pageOf[T any](all []T, skip float64) ([]T, int) {
	skipped := min(int(skip), len(all))
	return all[skipped:min(skipped+maxDestinations, len(all))], skipped
}

// Verdict is the answer of the tool flight_price_verdict: the answer of the verdict endpoint, with
// links to web pages.
type Verdict struct {
	verdict.Analysis
	cardHTML
	Pagina string `json:"pagina,omitempty" doc:"Page for people with the same answer and charts"`
	Avviso string `json:"avviso,omitempty" doc:"Page with the form for an alert on this trip. Give the link to the person, who enters an address and confirms. The fare is checked once a day. An alert reports a good fare, a threshold, a new low, a drop, a change, or a fare under what was paid. Absent if the trip leaves before the next check"`
}

func (s *Service) verdict(ctx context.Context, in *tripInput, q answer.Question) (Verdict, string, error) {
	say := in.say()
	a, card, err := s.Pages.VerdictPart(ctx, q, say.Language)
	if err != nil {
		return Verdict{}, "", err
	}
	a.Origine, a.Destinazione = say.named(in.Origin), say.named(in.Destination)
	v := Verdict{Analysis: a, cardHTML: cardHTML{card}}
	v.Pagina, v.Avviso = s.Pages.Addresses(a, q, say.Language)
	said := []string{say.verdict(a, q, fare.DayOf(s.Answers.Now())), say.places(in.Origin, in.Destination)}
	if v.Avviso == "" { // this service does not know its address
		return v, and(said...), nil
	}
	first := s.Pages.FirstAlert()
	if lastDay(q) < first {
		v.Avviso = ""
	}
	return v, and(append(said, say.pages(v, first, s.Pages.Telegram))...), nil
}

// lastDay returns the last departure day of a question. For a question about any date it returns a
// day in the far future.
func lastDay(q answer.Question) fare.Day {
	switch w := q.When; {
	case w == nil:
		return math.MaxInt32
	case w.Span == nil:
		return w.Date
	default:
		_, last := w.Span.Ends(w.Date)
		return last
	}
}

func (s *Service) comparison(ctx context.Context, in *comparisonInput,
	q published.Comparison) (published.Confronto, string, error) {
	granted, err := s.api.ConsumeQuotas(ctx, "analisi", q.Len())
	if err != nil {
		return published.Confronto{}, "", err
	}
	c, err := s.Answers.Compare(ctx, q, granted)
	if err != nil {
		return c, "", err
	}
	say, names := in.say(), make([]string, len(c.Viaggi))
	for i, v := range c.Viaggi {
		names[i] = say.named(v.Destinazione)
		if a := v.Analisi; a != nil {
			a.Origine, a.Destinazione = say.named(in.Origin), names[i]
		}
	}
	return c, and(say.comparison(c, names), say.places(in.Origin)), nil
}

// Months is the answer of the tool cheapest_months. It holds part of a verdict.
type Months struct {
	Origine            string         `json:"origine" doc:"Origin city name, as matched"`
	Destinazione       string         `json:"destinazione" doc:"Destination city name, as matched"`
	Valuta             string         `json:"valuta" doc:"ISO 4217 code of the currency of all *Cent fields"`
	MesiPerConvenienza []verdict.Mese `json:"mesiPerConvenienza" nullable:"false" doc:"Departure months by median fare, cheapest first. Months with fewer than 5 fares are left out"`
	Osservazioni       int            `json:"osservazioni" doc:"Fares of the route observed in the last 400 days"`
	AggiornatoIl       time.Time      `json:"aggiornatoIl" format:"date-time" doc:"Time at which the newest of them was found, UTC"`
}

func (s *Service) months(ctx context.Context, in *routeInput, q answer.Question) (Months, string, error) {
	a, err := s.analysis(ctx, in, q)
	m := Months{a.Origine, a.Destinazione, a.Valuta, a.MesiPerConvenienza, a.Osservazioni, a.AggiornatoIl}
	return m, in.say().months(m), err
}

// Window is the answer of the tool when_to_book. It holds part of a verdict.
type Window struct {
	Origine             string            `json:"origine" doc:"Origin city name, as matched"`
	Destinazione        string            `json:"destinazione" doc:"Destination city name, as matched"`
	Valuta              string            `json:"valuta" doc:"ISO 4217 code of the currency of all *Cent fields"`
	AnticipoConsigliato *verdict.Anticipo `json:"anticipoConsigliato,omitempty" doc:"The days before departure in which fares have been lowest. Absent if fewer than 8 departures show it"`
	Osservazioni        int               `json:"osservazioni" doc:"Fares of the route observed in the last 400 days"`
	AggiornatoIl        time.Time         `json:"aggiornatoIl" format:"date-time" doc:"Time at which the newest of them was found, UTC"`
}

func (s *Service) window(ctx context.Context, in *routeInput, q answer.Question) (Window, string, error) {
	a, err := s.analysis(ctx, in, q)
	w := Window{a.Origine, a.Destinazione, a.Valuta, a.AnticipoConsigliato, a.Osservazioni, a.AggiornatoIl}
	return w, in.say().window(w), err
}

func (s *Service) analysis(ctx context.Context, in *routeInput, q answer.Question) (verdict.Analysis, error) {
	a, err := s.Answers.Verdict(ctx, q)
	say := in.say()
	a.Origine, a.Destinazione = say.named(in.Origin), say.named(in.Destination)
	return a, err
}

func (s *Service) routes(ctx context.Context, in, _ *coveredInput) (published.Routes, string, error) {
	r, err := s.Answers.Covered(ctx, originOf(in.Origin), destinationOf(in.Destination), in.Page)
	say := in.say()
	for i := range r.Rotte {
		for _, city := range []*published.Citta{&r.Rotte[i].Origine, &r.Rotte[i].Destinazione} {
			city.Nome = say.city(city.Codice)
		}
	}
	return r, say.routes(r), err
}

// checkTrends refuses a currency that has no exchange rate, and a route from a city to itself.
func (s *Service) checkTrends(ctx context.Context, in *trendsInput) error {
	rates, err := s.Trends.Rates(ctx)
	if err != nil {
		return err
	}
	if _, ok := rates.Rate(in.Currency); !ok {
		known := rates.Currencies()
		p := httpapi.UnknownCurrency.Problem(fmt.Sprintf("There is no reference rate for %q. Choose one of: %s.",
			in.Currency, strings.Join(known, ", ")))
		p.Errors = []httpapi.Fault{{Name: "currency", Detail: "has no reference rate"}}
		p.Suggestions = known
		return p
	}
	return published.Differ(originOf(in.Origin), destinationOf(in.Destination))
}

func (s *Service) trends(ctx context.Context, in, _ *trendsInput) (view.Trends, string, error) {
	origin, err := published.Find(originOf(in.Origin))
	if err != nil {
		return view.Trends{}, "", err
	}
	var destination fare.City
	if in.Destination != "" {
		place, err := published.Find(destinationOf(in.Destination))
		if err != nil {
			return view.Trends{}, "", err
		}
		destination = place.City
	}
	t, err := s.Trends.ReadAll(ctx, origin.City, destination, in.Currency)
	if not := (*view.NotCovered)(nil); errors.As(err, &not) {
		return t, "", httpapi.NotCovered.Problem(sentences{i18n.English()}.notCovered(not))
	}
	if err != nil {
		return t, "", err
	}
	say, all, skipped := in.say(), len(t.Destinations), 0
	t.Destinations, skipped = pageOf(t.Destinations, in.Skip)
	return t, and(say.trends(t, skipped, all), say.places(in.Origin, in.Destination)), nil
}

// Calendar is the answer of the tool fare_calendar: the answer of the calendar endpoint, with a
// card.
type Calendar struct {
	verdict.Calendario
	cardHTML
}

func (s *Service) calendar(ctx context.Context, in *calendarInput, q answer.Question) (Calendar, string, error) {
	say := in.say()
	c, card, err := s.Pages.CalendarPart(ctx, q, say.Language)
	if err != nil {
		return Calendar{}, "", err
	}
	all := len(c.Giorni)
	if in.Month == "" {
		c.Giorni = best(c.Giorni, maxDestinations)
	}
	c.Origine, c.Destinazione = say.named(in.Origin), say.named(in.Destination)
	return Calendar{c, cardHTML{card}}, and(say.calendar(c, all), say.places(in.Origin, in.Destination)), nil
}

func best(days []verdict.Giorno, n int) []verdict.Giorno {
	place := func(g verdict.Giorno) int {
		if g.Percentile == nil {
			return 101 // it cannot be judged
		}
		return *g.Percentile
	}
	sorted := slices.Clone(days)
	slices.SortStableFunc(sorted, func(a, b verdict.Giorno) int { return place(a) - place(b) })
	sorted = sorted[:min(n, len(sorted))]
	slices.SortFunc(sorted, func(a, b verdict.Giorno) int { return strings.Compare(a.Partenza, b.Partenza) })
	return sorted
}

func (s *Service) deals(ctx context.Context, in *dealsInput,
	q published.DealsQuestion) (published.Occasioni, string, error) {
	o, err := s.Answers.Deals(ctx, q)
	if err != nil {
		return o, "", err
	}
	say, all, skipped := in.say(), len(o.Occasioni), 0
	o.Occasioni, skipped = pageOf(o.Occasioni, in.Skip)
	o.Origine = say.named(in.Origin)
	for i := range o.Occasioni {
		o.Occasioni[i].Destinazione = say.city(o.Occasioni[i].DestinazioneIata)
	}
	return o, and(say.deals(o, skipped, all), say.places(in.Origin)), nil
}

// checkHistory refuses every question about a route's history if the service may not show past
// fares.
func (s *Service) checkHistory(ctx context.Context, in *historyInput) error {
	if !httpapi.AllFares(ctx) {
		return httpapi.FaresNotShown()
	}
	q, err := in.history()
	if err != nil {
		return err
	}
	return s.Answers.Check(ctx, q)
}

func (s *Service) history(ctx context.Context, in, _ *historyInput) (published.Storico, string, error) {
	q, err := in.history()
	if err != nil {
		return published.Storico{}, "", err
	}
	h, err := s.Answers.Past(ctx, q)
	if err != nil {
		return h, "", err
	}
	say := in.say()
	h.Origine, h.Destinazione = say.named(in.Origin), say.named(in.Destination)
	return h, and(say.past(h), say.places(in.Origin, in.Destination)), nil
}

func (s *Service) usage(ctx context.Context, in, _ *usageInput) (published.Consumo, string, error) {
	u, err := published.UsageOf(ctx)
	return u, in.say().usage(u), err
}
