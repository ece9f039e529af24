package sample

import "verdetto/shared/fare"

type money struct {
	currency fare.Currency
	perEuro  float64
	unit     fare.Cents // round amounts are multiples of unit
	under    fare.Cents // how far prices are below a round amount: 1 cent in 19.99
}

var moneys = map[fare.City]money{
	"LON": {code("GBP"), 0.85, 1_00, 1},
	"NYC": {code("USD"), 1.1, 1_00, 1_00},
	"BUH": {code("RON"), 5, 4_00, 1_00},
	"BUD": {code("HUF"), 400, 400_00, 10_00},
}

func moneyOf(origin fare.City) money {
	if m, ok := moneys[origin]; ok {
		return m
	}
	return money{fare.EUR, 1, 1_00, 1}
}

func code(s string) fare.Currency { return fare.Currency([]byte(s)) }

func (m money) quote(euro float64) fare.Cents {
	p := fare.Cents(euro * m.perEuro * 100 / float64(m.unit))
	step := fare.Cents(50_00)
	switch {
	case p < 30_00:
		step = 2_50
	case p < 60_00:
		step = 5_00
	case p < 150_00:
		step = 10_00
	case p < 400_00:
		step = 20_00
	}
	p -= p % step
	p -= p % 1_00 // 12.50 is quoted as 11.99
	return max(p, 10_00)/100*m.unit - m.under
}
