package compat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

type metric struct {
	Type          string     `json:"type"`
	Origin        location   `json:"origin"`
	Destination   location   `json:"destination"`
	DepartureDate string     `json:"departureDate"`
	TransportType string     `json:"transportType"`
	CurrencyCode  string     `json:"currencyCode"`
	OneWay        bool       `json:"oneWay"`
	PriceMetrics  []quartile `json:"priceMetrics"`
}

type location struct {
	Code string `json:"iataCode"`
}

type quartile struct {
	Amount  string `json:"amount"`
	Ranking string `json:"quartileRanking"`
}

type metricsAnswer struct {
	Warnings []fault  `json:"warnings,omitempty"`
	Data     []metric `json:"data"`
	Meta     meta     `json:"meta"`
}

const usualStay = fare.Return4to7

func (s *Service) metrics(p *parameters) answerFunc {
	from, to := p.ends("originIataCode", "destinationIataCode")
	date := p.departure("departureDate")
	oneWay := p.flag("oneWay")
	currency, rates := s.currency(p, "currencyCode")
	return func(ctx context.Context) (any, error) {
		q := question(from, to)
		q.When = &answer.When{When: verdict.When{Date: date}}
		out := metricsAnswer{Data: []metric{}, Meta: meta{Links: s.selfLink(p)}}
		var stay []fault
		if !oneWay {
			q.Trip = usualStay
			stay = append(stay,
				warning(stayAssumed, "These are returns with 4 to 7 nights away, observed as returns; GET "+
					"/v1/analisi with notti is about others."))
		}
		f, usual, err := s.Usual(ctx, q)
		quartiles := usual.Quartiles
		about := f.Series.Airports
		if usual.Basis != nil {
			about = fare.Airports{}
		}
		out.Warnings = slices.Concat(from.whole(about.From), to.whole(about.To), stay)
		if none := answer.Why(err); none != nil {
			err = nil
			out.Warnings = append(out.Warnings, warning(noData, published.Why(i18n.English(), none)))
		} else if err == nil && quartiles == nil {
			out.Warnings = append(out.Warnings,
				warning(noData, fmt.Sprintf("%d fares are known to compare with: too few in all, or too few "+
					"with a similar lead time.", usual.Verdict.Sample)))
		}
		if err != nil || quartiles == nil {
			return out, err
		}
		m := metric{Type: "itinerary-price-metric", Origin: location{from.code}, Destination: location{to.code},
			DepartureDate: date.String(), TransportType: "FLIGHT", CurrencyCode: currency, OneWay: oneWay}
		for _, f := range []struct {
			cents fare.Cents
			rank  string
		}{{quartiles.Minimum, "MINIMUM"}, {quartiles.Q1, "FIRST"}, {quartiles.Median, "MEDIUM"},
			{quartiles.Q3, "THIRD"}, {quartiles.Maximum, "MAXIMUM"}} {
			cents, _ := rates.FromEuro(f.cents, currency)
			m.PriceMetrics = append(m.PriceMetrics, quartile{amount(cents), f.rank})
		}
		out.Data, out.Meta.Count = append(out.Data, m), 1
		return out, nil
	}
}

func (p *parameters) departure(name string) (d fare.Day) {
	text, given := p.text(name)
	if text == "" {
		if given || len(p.values[name]) == 0 {
			p.refuse(name, missing, name+" is missing: give the day of departure, YYYY-MM-DD.")
		}
		return 0
	}
	d, ok := p.day(name, text, invalidFormat)
	switch {
	case !ok:
	case d < p.today:
		p.refuse(name, invalidOption, fmt.Sprintf("%s is in the past: today is %s at the origin.", name, p.today))
	case d > p.today+answer.MaxAhead:
		p.refuse(name, invalidOption, fmt.Sprintf("%s is too far ahead: departures up to %s are known.", name,
			p.today+answer.MaxAhead))
	}
	return d
}

func (s *Service) currency(p *parameters, name string) (code string, rates fare.Rates) {
	text, given := p.text(name)
	if code = strings.ToUpper(text); !given || code == "EUR" {
		return "EUR", rates
	}
	if !threeLetters.MatchString(text) {
		p.refuse(name, invalidFormat, name+" is no currency: give three letters of ISO 4217, such as EUR.")
		return code, rates
	}
	rates, p.err = s.Rates(p.ctx)
	if _, known := rates.Rate(code); p.err == nil && !known {
		p.refuse(name, p.unfit, answer.NoRate(name, code, rates).Error()+" Choose one of: "+strings.Join(
			rates.Currencies(), ", ")+".")
	}
	return code, rates
}
