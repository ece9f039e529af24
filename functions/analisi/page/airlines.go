package page

import (
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
)

func (c airlineChoice) airlines(l *i18n.Language, wrong faults) fare.Airlines {
	field := "vettore"
	if c.WithoutAirline != "" {
		field = "senzaVettore"
	}
	if c.Airline != "" && c.WithoutAirline != "" {
		wrong[field] = l.Text("alerts.fault.not_both")
		return ""
	}
	all, err := published.ParseAirlines(c.Airline, c.WithoutAirline, "vettore", "senzaVettore")
	if err != nil {
		wrong[field] = l.Text("alerts.fault.airline", "Similar",
			strings.Join(airlines.Suggest(c.Airline+c.WithoutAirline, 3), l.Text("format.comma")))
	}
	return all
}

// limit must only be called for a choice without faults.
func (c airlineChoice) limit() fare.Airlines {
	all, _ := published.ParseAirlines(c.Airline, c.WithoutAirline, "", "")
	return all
}

func choiceOf(a fare.Airlines) (c airlineChoice) {
	c.Airline, c.WithoutAirline = a.Codes()
	return c
}

func (c airlineChoice) text(l *i18n.Language) string {
	if a := c.limit(); a != "" {
		return wording.Airlines(l, a)
	}
	return ""
}

func (v *view) AirlineText() string {
	text := v.Trip.airlineChoice.text(v.T)
	if text == "" {
		return ""
	}
	return wording.Sentence(text)
}

func (v *view) AirlineCodes() airlineChoice { return choiceOf(v.Trip.limit()) }
