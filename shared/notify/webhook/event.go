package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"verdetto/shared/carrier/outbound"
	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

const (
	typeFare  = "alert.fare"
	typeTest  = "alert.test"
	typeEnded = "alert.ended"
)

// Event is the body of a webhook event. Fields may be added, but never removed.
type Event struct {
	Type      string    `json:"type"`
	Timestamp time.Time `json:"timestamp"` // the same at each try
	Data      Data      `json:"data"`
}

type Data struct {
	Alert       string `json:"alert"`
	Route       string `json:"route"`
	Kind        string `json:"kind"`
	Language    string `json:"language,omitempty"`
	Threshold   *int64 `json:"thresholdCents,omitempty"`
	Paid        *int64 `json:"paidCents,omitempty"`
	Level       string `json:"level,omitempty"` // only for alerts to Anywhere
	Area        string `json:"area,omitempty"`  // only for alerts to Anywhere
	Days        int    `json:"days,omitempty"`
	Percent     int    `json:"percent,omitempty"`
	Amount      *int64 `json:"amountCents,omitempty"`
	Trip        *Trip  `json:"trip,omitempty"` // absent if the alert is for any one-way trip
	Fares       []Fare `json:"fares,omitempty"`
	More        int    `json:"more,omitempty"` // number of deals that are not in Fares
	List        string `json:"list,omitempty"`
	Unsubscribe string `json:"unsubscribe,omitempty"`
	Snooze      string `json:"snooze,omitempty"`
	Manage      string `json:"manage,omitempty"`
}

type Trip struct {
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Month   string `json:"month,omitempty"`  // such as 2027-03
	Nights  string `json:"nights,omitempty"` // 1-3, 4-7, 8-14 or 15+
	Nonstop bool   `json:"nonstop"`
	// Airports is BGY-STN, BGY- or -STN, for example.
	Airports string `json:"airports,omitempty"`
	// Airline and WithoutAirline hold IATA codes, separated by commas.
	Airline        string `json:"airline,omitempty"`
	WithoutAirline string `json:"withoutAirline,omitempty"`
}

type Fare struct {
	Route           string    `json:"route"`
	OriginName      string    `json:"originName"`
	DestinationName string    `json:"destinationName"`
	Departure       string    `json:"departure"`
	Return          string    `json:"return,omitempty"`
	Nights          string    `json:"nights,omitempty"`
	Nonstop         bool      `json:"nonstop"` // the alert is for fares without stops
	Flight          *Flight   `json:"flight,omitempty"`
	PriceCents      int64     `json:"priceCents"`
	Currency        string    `json:"currency"`
	Found           time.Time `json:"found"`
	Level           string    `json:"level"`
	Reliability     string    `json:"reliability,omitempty"`
	Percentile      *int      `json:"percentile,omitempty"`
	MedianCents     *int64    `json:"medianCents,omitempty"`
	MinimumCents    *int64    `json:"minimumCents,omitempty"`
	Sample          int       `json:"sample"`
	// BeforeCents is notify.Fare.Before; Told is notify.Fare.LastDay.
	BeforeCents *int64    `json:"beforeCents,omitempty"`
	Told        string    `json:"told,omitempty"`
	LowestCents *int64    `json:"lowestCents,omitempty"`
	Expected    *Expected `json:"expected,omitempty"`
	Page        string    `json:"page,omitempty"`
}

type Flight struct {
	Text            string `json:"text"`
	Airline         string `json:"airline,omitempty"`
	AirlineName     string `json:"airlineName,omitempty"`
	Origin          string `json:"origin,omitempty"`
	Destination     string `json:"destination,omitempty"`
	Stops           *int   `json:"stops,omitempty"` // 2 means two or more
	DurationMinutes *int   `json:"durationMinutes,omitempty"`
}

type Expected struct {
	LowCents  int64  `json:"lowCents"` // lower quartile of the comparable fares
	HighCents int64  `json:"highCents"`
	Waits     []Wait `json:"waits,omitempty"`
}

type Wait struct {
	Days      int     `json:"days"`
	Fall      float64 `json:"fall"` // chance of a fall by 5 % or more, 0 to 1
	OrMore    bool    `json:"orMore,omitempty"`
	MeanCents int64   `json:"meanCents"` // average change; negative if prices fell
	Pays      bool    `json:"pays"`
}

func event(alert store.Alert, m notify.Message, now time.Time) ([]byte, error) {
	e := Event{Type: typeFare, Timestamp: now.UTC().Truncate(time.Second), Data: about(alert)}
	e.Data.Language, e.Data.Unsubscribe, e.Data.Snooze, e.Data.Manage = m.Language, m.Unsubscribe, m.Snooze, m.Manage
	e.Data.More, e.Data.List = m.More, m.List
	if m.Ended {
		e.Type, m.Fares = typeEnded, nil
	}
	for _, f := range m.Fares {
		e.Data.Fares = append(e.Data.Fares, fareOf(f))
	}
	return encode(e)
}

func testEvent(alert store.Alert, now time.Time) ([]byte, error) {
	return encode(Event{Type: typeTest, Timestamp: now.UTC().Truncate(time.Second), Data: about(alert)})
}

// SendTest sends a signed test event that belongs to no alert.
func SendTest(ctx context.Context, client outbound.Poster, to, secret string, now time.Time) (outbound.Answer, error) {
	id := "test-" + strconv.FormatInt(now.UnixNano(), 36)
	body, err := encode(Event{Type: typeTest, Timestamp: now.UTC().Truncate(time.Second),
		Data: Data{Alert: id, Route: "MIL-LIS", Kind: "verdict"}})
	if err != nil {
		return outbound.Answer{}, err
	}
	header, err := Sign(id, now, body, secret)
	if err != nil {
		return outbound.Answer{}, err
	}
	return client.Post(ctx, to, header, body)
}

func about(a store.Alert) Data {
	d := Data{Alert: a.Ref().String(), Route: a.Route.String(), Kind: a.Condition()}
	d.Days, d.Percent = a.Days, a.Percent
	d.Threshold, d.Amount = some(a.Threshold), some(a.Amount)
	if a.Kind == store.Paid {
		d.Threshold, d.Paid = nil, d.Threshold
	}
	if t := a.Trip; t != (store.Trip{}) {
		d.Trip = &Trip{Nights: t.Nights.String(), Nonstop: t.Nonstop, Airports: t.Airports.String()}
		d.Trip.Airline, d.Trip.WithoutAirline = t.Airlines.Codes()
		if t.From > 0 {
			d.Trip.From, d.Trip.To = t.From.String(), t.To.String()
		}
		if t.Month {
			d.Trip.Month = t.From.Time().Format("2006-01")
		}
	}
	if a.Route.Destination == store.Anywhere {
		d.Level, d.Area = a.LeastLevel(), a.Area
	}
	return d
}

func fareOf(f notify.Fare) Fare {
	s := Fare{
		Route: f.Route.String(), OriginName: f.Origin, DestinationName: f.Destination, Departure: f.Depart.String(),
		Nights: f.Trip.Nights.String(), Nonstop: f.Trip.Nonstop, PriceCents: int64(f.Price), Currency: "EUR",
		Found: f.Found.UTC(),
		Level: string(f.Level), Reliability: string(f.Reliability), Sample: f.Sample, BeforeCents: some(f.Before),
		LowestCents: some(f.Lowest), Page: f.Page,
	}
	if f.Flight != "" {
		s.Flight = flightOf(f.Flight, f.Offer)
	}
	if f.Return > 0 {
		s.Return = f.Return.String()
	}
	if f.LastDay > 0 {
		s.Told = f.LastDay.String()
	}
	if j := f.Judgement; j != nil {
		s.Expected = &Expected{LowCents: int64(j.Quartiles.Q1), HighCents: int64(j.Quartiles.Q3)}
		for _, w := range j.Forecasts {
			s.Expected.Waits = append(s.Expected.Waits, Wait{w.Days, w.Chance, w.OrMore, int64(w.Mean), w.Pays})
		}
	}
	if f.Reliability != "" {
		s.Percentile, s.MedianCents = &f.Percentile, cents(f.Median)
		if f.Minimum > 0 { // alerts to Anywhere have no minimum
			s.MinimumCents = cents(f.Minimum)
		}
	}
	return s
}

func flightOf(text string, live verdict.Live) *Flight {
	known := live.Flight
	f := Flight{Text: text, Airline: known.Airline.String(), AirlineName: airlines.Name(known.Airline),
		Origin: known.From.String(), Destination: known.To.String()}
	if stops, ok := live.Stops.Number(); ok && known.Known() {
		f.Stops = &stops
	}
	if known.Minutes > 0 {
		f.DurationMinutes = new(int(known.Minutes))
	}
	return &f
}

func some(c fare.Cents) *int64 {
	if c == 0 {
		return nil
	}
	return cents(c)
}

func cents(c fare.Cents) *int64 { return new(int64(c)) }

func encode(e Event) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", notify.ErrUnwritable, err)
	}
	return body, nil
}
