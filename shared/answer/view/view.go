// Package view returns price trends in their published form: the stored trends of an origin, in the
// requested currency. Start with Reader.Read.
package view

import (
	"math"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/trends"
)

type Trends struct {
	Origin       string        `json:"origin" doc:"IATA code of the origin city" example:"MIL"`
	City         string        `json:"city" doc:"Name of the origin city, in English or the chosen language" example:"Milan"`
	Currency     string        `json:"currency" doc:"ISO 4217 code of the currency of all amounts. They are hundredths of it, even where it has none, such as JPY" example:"USD"`
	Rate         float64       `json:"rate" doc:"Units of the currency for 1 EUR"`
	RateDate     string        `json:"rateDate" format:"date" doc:"Day of that reference rate (European Central Bank)"`
	UpdatedAt    *time.Time    `json:"updatedAt" nullable:"true" doc:"Time at which the newest fare of these routes was found, UTC. The age of each fare is that of its cheapest.found. null without destinations"`
	Popularity   string        `json:"popularity" enum:"observations" doc:"What the destinations are ordered by"`
	Destinations []Destination `json:"destinations" nullable:"false" doc:"Destinations with a current fare, most popular first, at most 100. With a destination: only that, even without a current fare"`
	Airports     *Airports     `json:"airports,omitempty" doc:"With a destination: the airports that the answer is about. Absent if it is about all airports of both cities"`
	WholeCities  []WholeCity   `json:"wholeCities,omitempty" doc:"The airports that you named although the answer is about whole cities: without a destination, or if no fare of these airports is known"`
	WeeklyLows   []WeeklyLow   `json:"weeklyLows,omitempty" doc:"With a destination: the cheapest fare of each of the last 52 weeks, oldest first. Weeks without a fare are left out. Absent if this service shows no single fares, or if airports.basis is cities"`
}

type Airports struct {
	Origin            string `json:"origin,omitempty" doc:"IATA code of the airport of departure. Absent: any airport of the origin city" example:"BGY"`
	Destination       string `json:"destination,omitempty" doc:"IATA code of the airport of arrival. Absent: any airport of the destination city" example:"STN"`
	Basis             string `json:"basis" enum:"airports,cities" doc:"What the fare is compared with: fares of the same airports or, if fewer than 8 days are known, the fares of both cities, moved by differencePercent. Then certainty is one step lower, the median and the minimum are moved too, and changeCents and weeklyLows are absent or null"`
	DifferencePercent *int   `json:"differencePercent,omitempty" doc:"With cities: how much dearer these airports usually are than the cheapest of both cities, in percent. Negative: cheaper"`
	Departures        *int   `json:"departures,omitempty" minimum:"0" doc:"With cities: the departures behind differencePercent. With 0 the difference is not known, and counts as none"`
	Note              string `json:"note,omitempty" doc:"With cities: the same in a sentence, in English or the chosen language"`
}

func airportsOf(p verdict.Pair) *Airports {
	a := &Airports{Origin: p.From.String(), Destination: p.To.String(), Basis: "airports"}
	if p.Basis != nil {
		percent := p.Basis.Percent()
		a.Basis, a.DifferencePercent, a.Departures = "cities", &percent, &p.Basis.Departures
	}
	return a
}

// Pair rounds the ratio of the Basis to a percent, and sets its Departures to 0.
func (a *Airports) Pair() (p verdict.Pair) {
	if a == nil {
		return p
	}
	return verdict.PairOf(a.Origin, a.Destination, a.DifferencePercent)
}

type WholeCity struct {
	Parameter string `json:"parameter" enum:"origin,destination" doc:"The parameter that named the airport"`
	Asked     string `json:"asked" doc:"The airport or part of a city that you named" example:"Bergamo"`
	City      string `json:"city" doc:"IATA code of the city whose fares are shown" example:"MIL"`
	Note      string `json:"note" doc:"The same in a sentence, in English or the chosen language"`
}

type Destination struct {
	Destination   string   `json:"destination" doc:"IATA code of the destination city" example:"LON"`
	City          string   `json:"city" doc:"Name of the destination city, in English or the chosen language" example:"London"`
	Cheapest      *Fare    `json:"cheapest,omitempty" doc:"The cheapest current fare. Absent if there is none"`
	Level         string   `json:"level,omitempty" enum:"ottimo,buono,normale,caro,dati-insufficienti" doc:"Level of the cheapest fare among the route's cheapest fares of past days: very cheap, cheap, normal, expensive, or too little data. Absent without a current fare"`
	Certainty     string   `json:"certainty,omitempty" enum:"alta,media,bassa" doc:"How sure the level is: high, medium or low. One step lower if the fare was found 72 hours ago or earlier. Absent without a level, or with dati-insufficienti"`
	Percentile    *int     `json:"percentile,omitempty" minimum:"0" maximum:"100" doc:"Share of those days with a cheaper fare, in percent. Absent if certainty is absent"`
	MedianCents   *int64   `json:"medianCents" nullable:"true" doc:"Median of the route's cheapest fares of past days, in cents of currency. null with fewer than 8 days"`
	MinimumCents  *int64   `json:"minimumCents" nullable:"true" doc:"Minimum of the route's cheapest fares of past days, in cents of currency. null with fewer than 8 days"`
	Sample        int      `json:"sample" doc:"Number of past days with a known cheapest fare"`
	Observations  int      `json:"observations" doc:"Fares observed in the last 400 days"`
	ChangeCents   *int64   `json:"changeCents" nullable:"true" doc:"Cheapest current fare minus the cheapest of the last day with a fare that lies 7 to 13 days back, in cents of currency. null if there is no such day or no current fare"`
	ChangePercent *float64 `json:"changePercent" nullable:"true" doc:"changeCents in percent, one decimal"`
	Months        []Month  `json:"months" nullable:"false" doc:"Departure months with at least 5 fares, cheapest median first"`
}

func (t *Trends) InLanguage(code string) {
	t.City = places.Name(fare.City(t.Origin), code)
	for i, d := range t.Destinations {
		t.Destinations[i].City = places.Name(fare.City(d.Destination), code)
	}
}

type Fare struct {
	AmountCents int64     `json:"amountCents"`
	Departure   string    `json:"departure" format:"date" doc:"Day of departure"`
	Found       time.Time `json:"found" doc:"Time at which the fare was found, UTC"`
}

type Month struct {
	Month        int   `json:"month" minimum:"1" maximum:"12"`
	MedianCents  int64 `json:"medianCents"`
	MinimumCents int64 `json:"minimumCents"`
	Sample       int   `json:"sample"`
}

type WeeklyLow struct {
	Week        string `json:"week" format:"date" doc:"Monday of the week"`
	AmountCents int64  `json:"amountCents"`
}

const most = 100

type view struct {
	rates    fare.Rates
	currency string
	now      time.Time
	today    fare.Day
	allFares bool
}

func (v view) cents(c fare.Cents) int64 {
	converted, _ := v.rates.FromEuro(c, v.currency)
	return int64(converted)
}

func (v view) frame(origin fare.City) Trends {
	rate, _ := v.rates.Rate(v.currency)
	return Trends{
		Origin: string(origin), City: places.Name(origin, "en"),
		Currency: v.currency, Rate: rate, RateDate: v.rates.Date.String(),
		Popularity: "observations", Destinations: []Destination{},
	}
}

func (v view) origin(origin fare.City, all trends.Origin, most int) Trends {
	t := v.frame(origin)
	var newest int64
	for _, e := range all.Entries {
		if _, ok := e.Cheapest(v.today); !ok || len(t.Destinations) == most {
			continue
		}
		t.Destinations = append(t.Destinations, v.destination(e))
		newest = max(newest, e.Newest)
	}
	if newest > 0 {
		at := time.Unix(newest, 0).UTC()
		t.UpdatedAt = &at
	}
	return t
}

func (v view) route(origin fare.City, e trends.Entry, summary verdict.RouteSummary) Trends {
	t := v.frame(origin)
	at := time.Unix(e.Newest, 0).UTC()
	t.UpdatedAt = &at
	t.Destinations = append(t.Destinations, v.destination(e))
	if v.allFares {
		t.WeeklyLows = v.weekly(summary)
	}
	return t
}

func (v view) destination(e trends.Entry) Destination {
	d := Destination{
		Destination: string(e.Destination), City: places.Name(e.Destination, "en"),
		Sample: e.Sample, Observations: e.Observations, Months: make([]Month, len(e.Months)),
	}
	if e.Sample >= verdict.MinSample {
		median, minimum := v.cents(e.Median), v.cents(e.Minimum)
		d.MedianCents, d.MinimumCents = &median, &minimum
	}
	if live, ok := e.Cheapest(v.today); ok {
		d.Cheapest = &Fare{v.cents(live.Price), live.Depart.String(), time.Unix(live.Found, 0).UTC()}
		d.Level = string(live.Level)
		if live.Certainty != "" {
			d.Certainty = string(verdict.ReliabilityAt(live.Certainty, v.now.Sub(time.Unix(live.Found, 0))))
			d.Percentile = &live.Percentile
		}
		if e.Previous > 0 {
			change := v.cents(live.Price) - v.cents(e.Previous)
			percent := math.Round(1000*float64(live.Price-e.Previous)/float64(e.Previous)) / 10
			d.ChangeCents, d.ChangePercent = &change, &percent
		}
	}
	for i, m := range e.Months {
		d.Months[i] = Month{m.Month, v.cents(m.Median), v.cents(m.Minimum), m.Sample}
	}
	return d
}

func (v view) weekly(summary verdict.RouteSummary) []WeeklyLow {
	this := fare.CycleOf(v.today)
	byWeek := map[fare.Cycle]fare.Cents{}
	for _, l := range summary.Lows {
		week := fare.CycleOf(l.Day)
		if week <= this-52 || week > this {
			continue
		}
		if lowest, ok := byWeek[week]; !ok || summary.Euro(l.Price) < lowest {
			byWeek[week] = summary.Euro(l.Price)
		}
	}
	weeks := []WeeklyLow{}
	for week, price := range byWeek {
		weeks = append(weeks, WeeklyLow{week.First().String(), v.cents(price)})
	}
	slices.SortFunc(weeks, func(a, b WeeklyLow) int {
		if a.Week < b.Week {
			return -1
		}
		return 1
	})
	return weeks
}
