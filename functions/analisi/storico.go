package analisi

import (
	"context"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// freeWeeks is how far back the weeks of a route are shown without a key.
const freeWeeks = 26

// Storico is the published history of a route: the weeks behind the picture.
type Storico struct {
	Origine          string          `json:"origine" doc:"Origin city name, as matched" example:"Milano"`
	Destinazione     string          `json:"destinazione" doc:"Destination city name, as matched" example:"Bucarest"`
	OrigineIata      string          `json:"origineIata" doc:"IATA code of the origin city or metropolitan area" example:"MIL"`
	DestinazioneIata string          `json:"destinazioneIata" doc:"IATA code of the destination city or metropolitan area" example:"BUH"`
	Luoghi           []verdict.Luogo `json:"luoghi,omitempty" doc:"What an end of the route stood for, as in GET /v1/analisi"`
	Valuta           string          `json:"valuta" doc:"ISO 4217 code of the currency of all *Cent fields" example:"EUR"`
	OggiCent         *fare.Cents     `json:"oggiCent,omitempty" doc:"Today's cheapest fare, in cents; absent where no fare is live"`
	Settimane        []Settimana     `json:"settimane" nullable:"false" doc:"Weeks in which fares were found, oldest first: without a key those of the last 26 weeks, with a Pro key all that are kept, three years"`
	Partenza         *Movimento      `json:"partenza,omitempty" doc:"With partenza: how the fare of that departure moved"`
	Mese             *DelMese        `json:"mese,omitempty" doc:"With mese: the weeks of the departures in that month"`
	AggiornatoIl     time.Time       `json:"aggiornatoIl" format:"date-time" doc:"When the newest observation was found, UTC"`
}

// Settimana is the cheapest fares of a week's days: for each day on which something was found, the cheapest that was live.
type Settimana struct {
	Settimana   string     `json:"settimana" doc:"Week by ISO 8601" example:"2016-W09"`
	Dal         string     `json:"dal" format:"date" doc:"Its Monday" example:"2016-02-29"`
	MinimoCent  fare.Cents `json:"minimoCent" doc:"Cheapest of the days' cheapest fares, in cents"`
	MedianaCent fare.Cents `json:"medianaCent" doc:"Median of the days' cheapest fares, in cents"`
	Giorni      int        `json:"giorni" minimum:"1" maximum:"7" doc:"Days of the week with a known cheapest fare"`
}

// Movimento is how the fare of one departure moved.
type Movimento struct {
	Partenza string  `json:"partenza" format:"date" doc:"Day of departure, local" example:"2016-04-20"`
	Giorni   []Visto `json:"giorni" nullable:"false" doc:"Days on which a fare of it was found, oldest first: without a key those of the last 26 weeks, with a Pro key of 400 days. Days on which none was found are absent"`
}

// Visto is the cheapest fare of a departure that was found on a day.
type Visto struct {
	Giorno   string     `json:"giorno" format:"date" doc:"Day on which it was found, UTC" example:"2016-02-20"`
	Anticipo int        `json:"anticipo" minimum:"0" doc:"Days from then to the departure"`
	Cent     fare.Cents `json:"cent" minimum:"1" doc:"The cheapest fare of the departure that was found on that day, in cents, at the newest reference rates"`
}

// DelMese is how the fares of a month of departure moved.
type DelMese struct {
	Mese      string      `json:"mese" doc:"Month of departure" example:"2016-04"`
	Settimane []Settimana `json:"settimane" nullable:"false" doc:"Weeks in which fares for it were found: of each day the cheapest fare that was found on it for a departure in the month"`
}

type historyInput struct {
	published.Ends
	Partenza string `query:"partenza" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" patternDescription:"a day such as 2027-03-20" doc:"Day of departure, from today to 365 days ahead: how its fare moved is told too"`
	Mese     string `query:"mese" pattern:"^([0-9]{4}-(0[1-9]|1[0-2]))?$" patternDescription:"a month such as 2027-03" doc:"Month of departure, from this one to the one of 365 days ahead: how its fares moved is told too. Not together with partenza"`
	Diretto  bool   `query:"diretto" doc:"Only fares without stops"`
	Notti    string `query:"notti" pattern:"^(1-3|4-7|8-14|15[+ ]?)?$" patternDescription:"1-3, 4-7, 8-14 or 15+ (in a URL 15%2B)" doc:"Return fares with so many nights away; without it, one-way fares"`
	published.Shown
}

func (in *historyInput) question() (q answer.Question, err error) {
	trip := published.Trip{Partenza: in.Partenza, Mese: in.Mese, Diretto: in.Diretto, Notti: in.Notti, Valuta: in.Valuta}
	q, err = trip.Question(func(parameter string) string { return parameter })
	q.From, q.To = in.Cities()
	return q, err
}

type historyOutput struct{ Body Storico }

func (s *Service) registerHistory(api *httpapi.API) {
	httpapi.JSON(api, "storico", httpapi.JSONDoc{
		Summary:     "History of a route",
		Description: "The lows and medians, week by week, that today's cheapest fare is compared with. With partenza or mese also how the fares of that departure, or of the departures in that month, moved.",
		Problems:    []httpapi.ProblemType{httpapi.UnknownCity, httpapi.NotCovered, published.StopsUnknown, httpapi.SameCity, httpapi.UnknownCurrency},
	}, func(ctx context.Context, in *historyInput) error {
		q, err := in.question()
		if err != nil {
			return err
		}
		return published.Problem(s.Check(ctx, q))
	}, func(ctx context.Context, in *historyInput) (*historyOutput, error) {
		q, err := in.question()
		if err != nil {
			return nil, err
		}
		h, err := s.PastOf(ctx, q)
		return &historyOutput{h}, err
	})
}

// PastOf tells the history of a route, and of the departure or month that the
// question names. What it cannot answer is a Problem.
func (s *Service) PastOf(ctx context.Context, q answer.Question) (Storico, error) {
	f, moves, err := s.History(ctx, q)
	if err != nil {
		return Storico{}, published.Problem(err)
	}
	summary, today := f.Summary, fare.DayOf(s.Now())
	from, cut := fare.Day(0), func(weeks []verdict.Week) []verdict.Week { return weeks }
	if !httpapi.IsPro(ctx) {
		from = fare.CycleOf(today).First() - 7*(freeWeeks-1)
		cut = func(weeks []verdict.Week) []verdict.Week { return verdict.Since(weeks, today, freeWeeks) }
	}
	h := Storico{
		Origine: f.Origin.Name, Destinazione: f.Destination.Name, OrigineIata: string(f.Series.Origin), DestinazioneIata: string(f.Series.Destination),
		Luoghi: published.LuoghiOf(q, f), Valuta: "EUR",
		Settimane: settimane(cut(verdict.Weeks(summary))), AggiornatoIl: time.Unix(summary.Newest, 0).UTC(),
	}
	if live, ok := summary.Cheapest(today); ok {
		price := summary.Euro(live.Price)
		h.OggiCent = &price
	}
	switch {
	case q.When == nil:
	case q.When.Span != nil:
		h.Mese = &DelMese{q.When.Date.String()[:len("2006-01")], settimane(cut(summary.WeeksOf(moves)))}
	default:
		h.Partenza = &Movimento{q.When.Date.String(), []Visto{}}
		for _, l := range moves {
			if day := fare.DayOf(time.Unix(l.Found, 0)); day >= from {
				h.Partenza.Giorni = append(h.Partenza.Giorni, Visto{day.String(), int(l.Depart - day), summary.Euro(l.Price)})
			}
		}
	}
	return published.InCurrency(ctx, s.Reader, h, q.Show)
}

func settimane(weeks []verdict.Week) []Settimana {
	all := make([]Settimana, len(weeks))
	for i, w := range weeks {
		all[i] = Settimana{w.Name(), w.First.String(), w.Minimum, w.Median, w.Days}
	}
	return all
}
