package wording

import (
	"strconv"
	"strings"

	"verdetto/shared/fare"
)

// Paid states what passengers paid on the route, in the currency of the record. It returns "" if
// that is not known.
func (v Verdict) Paid() string {
	of := v.Of.Riferimento
	if of == nil {
		return ""
	}
	first, err1 := fare.ParseDay(of.Dal + "-01")
	last, err2 := fare.ParseDay(of.Al + "-01")
	if err1 != nil || err2 != nil {
		return ""
	}
	from := ""
	switch {
	case first == last:
	case first.Time().Year() == last.Time().Year():
		from = v.Month(first.Time().Month())
	default:
		from = v.MonthOf(first)
	}
	amount := v.Price(strconv.FormatInt((of.Media.Cent+50)/100, 10), of.Media.Valuta)
	return v.Text("paid.mean", "Amount", amount, "First", from, "Last", v.MonthOf(last),
		"Source", strings.ToUpper(of.Fonte))
}
