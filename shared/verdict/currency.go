package verdict

import (
	"slices"

	"verdetto/shared/fare"
)

// In converts the amounts from EUR to a currency. A price that the caller stated in this currency
// keeps its exact amount.
func (j Judgement) In(currency string, amount func(fare.Cents) fare.Cents) Judgement {
	j.Judged, j.OwnDay, j.Euro = j.Judged.In(amount), j.OwnDay.in(amount), amount(j.Euro)
	if j.Declared && j.Fare.Quoted.Currency.String() == currency {
		j.Fare.Price = j.Fare.Quoted.Amount
	}
	if j.Known != nil {
		known := live(*j.Known, amount)
		j.Known = &known
	}
	if j.Lower != nil {
		lower := live(*j.Lower, amount)
		j.Lower = &lower
	}
	if j.Lowest != nil {
		j.Lowest = &Low{Day: j.Lowest.Day, Price: amount(j.Lowest.Price)}
	}
	if j.Quartiles != nil {
		j.Quartiles = j.Quartiles.In(amount)
	}
	if j.OwnQuartiles != nil {
		j.OwnQuartiles = j.OwnQuartiles.In(amount)
	}
	j.Months = slices.Clone(j.Months)
	for i := range j.Months {
		j.Months[i].Median, j.Months[i].Minimum = amount(j.Months[i].Median), amount(j.Months[i].Minimum)
	}
	if j.Window != nil {
		w := *j.Window
		w.Median, w.Saving = amount(w.Median), amount(w.Saving)
		j.Window = &w
	}
	j.Forecasts = slices.Clone(j.Forecasts)
	for i := range j.Forecasts {
		f := &j.Forecasts[i]
		f.Mean, f.Low, f.High = amount(f.Mean), amount(f.Low), amount(f.High)
	}
	return j
}

func (j Judged) In(amount func(fare.Cents) fare.Cents) Judged {
	return Judged{live(j.Fare, amount), j.Verdict.in(amount)}
}

func live(l Live, amount func(fare.Cents) fare.Cents) Live {
	l.Quoted, l.Price = Quoted(l), amount(l.Price)
	return l
}

func (v Verdict) in(amount func(fare.Cents) fare.Cents) Verdict {
	v.Median, v.Minimum = amount(v.Median), amount(v.Minimum)
	return v
}
