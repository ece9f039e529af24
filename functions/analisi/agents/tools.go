package agents

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

func (s *Service) addTools(server *mcp.Server) {
	a := s.Answers
	addTool(s, server, "flight_price_verdict", (*tripInput).question, a.Check, s.verdict)
	addTool(s, server, "compare_trips", (*comparisonInput).question, a.CheckTrips, s.comparison)
	addTool(s, server, "watched_routes", (*coveredInput).question, nil, s.routes)
	addTool(s, server, "price_trends", (*trendsInput).question, s.checkTrends, s.trends)
	addTool(s, server, "fare_calendar", (*calendarInput).question, a.Check, s.calendar)
	addTool(s, server, "cheap_now", (*dealsInput).question, a.CheckDeals, s.deals)
	addTool(s, server, "departure_history", (*historyInput).question, s.checkHistory, s.history)
	addTool(s, server, "usage", (*usageInput).question, nil, s.usage)
}

// maxDestinations keeps answers short, because an agent keeps each answer in its context.
const maxDestinations = 20

func pageOf[T any](all []T, skip float64) ([]T, int) {
	skipped := min(int(skip), len(all))
	return all[skipped:min(skipped+maxDestinations, len(all))], skipped
}

type Verdict struct {
	published.Analysis
	Vicini []published.Vicino `json:"vicini,omitempty"`
	Pagina string             `json:"pagina,omitempty"`
	Avviso string             `json:"avviso,omitempty"`
}

const (
	maxMonths = 3
	maxNear   = 2
)

func (s *Service) verdict(ctx context.Context, in *tripInput, q answer.Question) (Verdict, string, error) {
	judged, err := s.Answers.Judge(ctx, q, s.Answers.Answer)
	if err != nil {
		return Verdict{}, "", err
	}
	j := &judged.Judgement
	j.Months = j.Months[:min(maxMonths, len(j.Months))]
	if j.Scope != verdict.OfRoute {
		j.Months, j.Window = nil, nil
	}
	if in.Nearby {
		j.Months, j.Window, j.Forecasts = nil, nil, nil
	}
	say, near := in.say(), ""
	v := Verdict{Analysis: s.Answers.Publish(ctx, q, judged)}
	v.Origine, v.Destinazione = say.ends(j.Pair, q.From, q.To)
	if in.Nearby {
		if v.Vicini, err = s.Answers.NearbyOf(ctx, q, j.Fare.Price); err != nil {
			return Verdict{}, "", err
		}
		v.Vicini = v.Vicini[:min(maxNear, len(v.Vicini))]
		near = say.nearby(v)
	}
	v.Pagina, v.Avviso = s.Pages.Addresses(judged.Series, v.Valuta, q, say.Language)
	sentences := []string{say.verdict(*j, say.route(v.Origine, v.Destinazione), v.Valuta, q), near,
		say.places(j.Pair, q.From, q.To)}
	if v.Avviso == "" { // this service does not know its public address
		return v, lines(sentences...), nil
	}
	first := s.Pages.FirstAlert()
	if lastDay(q) <= first { // an alert would be refused
		v.Avviso = ""
	}
	return v, lines(append(sentences, say.pages(v, first, s.Pages.Telegram))...), nil
}

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
		from, to := q.Ends(i)
		names[i] = say.named(to, "")
		if a := v.Analisi; a != nil {
			a.Origine, names[i] = say.ends(a.Tratta.Pair(), from, to)
			a.Destinazione = names[i]
		}
	}
	from, _ := q.Ends(0)
	return c, lines(say.comparison(c, names), say.places(verdict.Pair{}, from)), nil
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

func (s *Service) checkTrends(ctx context.Context, in *trendsInput) error {
	rates, err := s.Trends.Rates(ctx)
	if err != nil {
		return err
	}
	if _, ok := rates.Rate(in.Currency); !ok {
		return published.Problem(answer.NoRate("currency", in.Currency, rates))
	}
	return published.Differ(originOf(in.Origin), destinationOf(in.Destination))
}

func (s *Service) trends(ctx context.Context, in, _ *trendsInput) (view.Trends, string, error) {
	from, to := originOf(in.Origin), destinationOf(in.Destination)
	origin, err := published.Find(from)
	if err != nil {
		return view.Trends{}, "", err
	}
	series := fare.Series{Route: fare.Route{Origin: origin.City}}
	series.Airports.From = from.Means.Of
	if in.Destination != "" {
		place, err := published.Find(to)
		if err != nil {
			return view.Trends{}, "", err
		}
		series.Destination, series.Airports.To = place.City, to.Means.Of
	}
	t, err := s.Trends.ReadAll(ctx, series, in.Currency)
	if err != nil {
		return t, "", published.Problem(err)
	}
	published.NoteAirports(ctx, &t, from, to)
	say, all := in.say(), len(t.Destinations)
	listed, skipped := pageOf(t.Destinations, in.Skip)
	t.Destinations = listed
	return t, lines(say.trends(t, skipped, all), say.places(t.Airports.Pair(), from, to)), nil
}

func (s *Service) calendar(ctx context.Context, in *calendarInput,
	q answer.Question) (published.Calendario, string, error) {
	c, err := s.Answers.Calendar(ctx, q, httpapi.AllFares(ctx))
	if err != nil {
		return c, "", err
	}
	all := len(c.Giorni)
	slices.SortStableFunc(c.Giorni, byPrice)
	if in.Mese == "" {
		c.Giorni = c.Giorni[:min(maxDestinations, all)]
	}
	say := in.say()
	c.Origine, c.Destinazione = say.ends(c.Tratta.Pair(), q.From, q.To)
	return c, lines(say.calendar(c, all), say.places(c.Tratta.Pair(), q.From, q.To)), nil
}

// byPrice compares two days by price, or by percentile if a price is not shown.
func byPrice(a, b published.Giorno) int {
	if a.Cent != nil && b.Cent != nil {
		return cmp.Compare(*a.Cent, *b.Cent)
	}
	place := func(g published.Giorno) int {
		if g.Percentile == nil {
			return 101 // days without a verdict come last
		}
		return *g.Percentile
	}
	return place(a) - place(b)
}

func (s *Service) deals(ctx context.Context, in *dealsInput,
	q published.DealsQuestion) (published.Occasioni, string, error) {
	o, err := s.Answers.Deals(ctx, q)
	if err != nil {
		return o, "", err
	}
	say, all := in.say(), len(o.Occasioni)
	listed, skipped := pageOf(o.Occasioni, in.Skip)
	o.Occasioni = listed
	o.Origine = say.named(q.From, "")
	for i := range o.Occasioni {
		o.Occasioni[i].Destinazione = say.city(o.Occasioni[i].DestinazioneIata)
	}
	return o, lines(say.deals(o, skipped, all), say.places(verdict.Pair{}, q.From)), nil
}

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
	h.Origine, h.Destinazione = say.ends(h.Tratta.Pair(), q.From, q.To)
	return h, lines(say.past(h), say.places(h.Tratta.Pair(), q.From, q.To)), nil
}

func (s *Service) usage(ctx context.Context, in, _ *usageInput) (published.Consumo, string, error) {
	u, err := published.UsageOf(ctx)
	return u, in.say().usage(u), err
}
