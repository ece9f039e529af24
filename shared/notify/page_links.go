package notify

import (
	"net/url"
	"strings"

	"cmp"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
)

func airlinesOf(trip store.Trip) string {
	switch only, without := trip.Airlines.Codes(); {
	case only != "":
		return "&vettore=" + only
	case without != "":
		return "&senzaVettore=" + without
	}
	return ""
}

func (l Links) Page(a store.Alert) string {
	at := Links{Pepper: l.Pepper}
	if a.Route.Destination == store.Anywhere {
		return at.listOf(a, i18n.ForCode(a.Language))
	}
	return at.pageOf(news{Route: a.Route, Depart: a.Trip.From}, a, i18n.ForCode(a.Language))
}

func (l Links) pageOf(n news, a store.Alert, in *i18n.Language) string {
	trip := a.Trip
	page := l.BaseURL + "/?da=" + cmp.Or(trip.Airports.From.String(), string(n.Route.Origin)) +
		"&a=" + cmp.Or(trip.Airports.To.String(), string(n.Route.Destination))
	switch {
	case trip == store.Trip{}:
	case trip.Month && trip.Nights == fare.OneWay:
		page += "&mese=" + trip.From.Time().Format("2006-01")
	case trip.From > 0 || n.Return > 0:
		page += "&quando=" + n.Depart.String()
	}
	if n.Return > 0 {
		page += "&ritorno=" + n.Return.String()
	}
	if trip.Nonstop {
		page += "&diretto=si"
	}
	page += airlinesOf(trip)
	return page + shownIn(a, in)
}

func shownIn(a store.Alert, l *i18n.Language) string {
	in := "&lang=" + l.Code
	if a.Currency != "" {
		in += "&valuta=" + a.Currency
	}
	return in
}

func (l Links) listOf(a store.Alert, in *i18n.Language) string {
	var b strings.Builder
	b.WriteString(l.BaseURL + "/?da=" + string(a.Route.Origin))
	if area, ok := places.AreaOf(a.Area); ok {
		b.WriteString("&a=" + url.QueryEscape(area.NameIn(in.Code)))
	}
	if a.Trip.Month {
		b.WriteString("&mese=" + a.Trip.From.Time().Format("2006-01"))
	}
	if a.Trip.Nonstop {
		b.WriteString("&diretto=si")
	}
	b.WriteString(airlinesOf(a.Trip))
	if a.Threshold > 0 {
		currency, _ := fare.ParseCurrency(cmp.Or(a.Currency, fare.EUR.String())) // only valid codes are stored
		b.WriteString("&massimo=" + fare.Money{Amount: cmp.Or(a.Stated, a.Threshold), Currency: currency}.Decimal())
	}
	return b.String() + shownIn(a, in)
}
