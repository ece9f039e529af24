package analisi

import (
	"fmt"
	"math"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/chart"
	"verdetto/shared/fare"
	"verdetto/shared/i18n"
	"verdetto/shared/verdict"
)

// showDeparture answers with a verdict about a departure or the cheapest of a month.
func (v *view) showDeparture(q question, asked answer.Question, a verdict.Analysis) {
	l := v.T
	j := v.newVerdict(q, a)
	if back := a.Prezzo.Ritorno; back != "" && back != asked.When.Back.String() {
		if day, err := fare.ParseDay(back); err == nil {
			j.Facts = append(j.Facts, l.Text("departure.other_return", "Back", l.Date(day)))
		}
	}
	if a.Verdetto.Percentile == nil {
		j.Facts = append(j.Facts, l.Text("departure.too_little", "Fares", l.Number(a.Verdetto.Campione)))
		v.Description = strings.Join(j.Facts, " ")
		return
	}
	j.Facts = append(j.Facts, typical(l, a), comparables(l, *a.Verdetto.Percentile))
	v.Title += l.Text("format.colon") + " " + brief(l, a.Prezzo.Cent, a.Verdetto)
	v.Description = strings.Join(j.Facts, " ")
	j.describeCertainty(l, a.Verdetto.Affidabilita, l.Text("departure.observed", "Fares", l.Number(a.Verdetto.Campione)))
	of := a.Quartili
	c := chart.Range{
		Minimum: whole(of.MinimoCent), Q1: whole(of.Q1Cent), Median: whole(of.MedianaCent), Q3: whole(of.Q3Cent), Maximum: whole(of.MassimoCent),
		Price: a.Prezzo.Cent, Level: a.Verdetto.Livello, Money: l.Money,
		Label: l.Text("departure.range", "Price", l.Money(a.Prezzo.Cent), "Low", l.Money(whole(of.Q1Cent)), "High", l.Money(whole(of.Q3Cent)),
			"Median", l.Money(whole(of.MedianaCent)), "Minimum", l.Money(whole(of.MinimoCent)), "Maximum", l.Money(whole(of.MassimoCent))),
	}
	j.Range = responsiveChart{c.SVG(680), c.SVG(328)}
	j.Waits = waitsOf(l, a)
}

// whole rounds what is reckoned, and was never quoted, to whole euros.
func whole(c fare.Cents) fare.Cents { return (c + 50) / 100 * 100 }

// priceSaid says what is judged: a fare that was found, or the reader's own price.
func priceSaid(l *i18n.Language, a verdict.Analysis) string {
	price := l.Money(a.Prezzo.Cent)
	leaves, err := fare.ParseDay(a.Prezzo.Partenza)
	switch {
	case a.Prezzo.Dichiarato:
		return l.Text("verdict.your_price", "Price", price)
	case err != nil:
		return l.Text("verdict.today", "Price", price, "Departure", a.Prezzo.Partenza)
	case a.Ambito == verdict.InPartenza:
		return l.Text("departure.price", "Price", price, "Departure", l.Date(leaves))
	case a.Ambito == verdict.InMese:
		return l.Text("departure.price_month", "Price", price, "Departure", l.Date(leaves))
	}
	return l.Text("verdict.today", "Price", price, "Departure", l.Date(leaves))
}

// typical says what is usual so far ahead: the middle half of comparable fares.
func typical(l *i18n.Language, a verdict.Analysis) string {
	low, high := whole(a.Quartili.Q1Cent), whole(a.Quartili.Q3Cent)
	month := a.Ambito == verdict.InMese
	switch {
	case low == high && month:
		return l.Text("departure.typical_month_one", "Price", l.Money(low))
	case low == high:
		return l.Text("departure.typical_one", "Price", l.Money(low))
	case month:
		return l.Text("departure.typical_month", "Low", l.Money(low), "High", l.Money(high))
	}
	return l.Text("departure.typical", "Low", l.Money(low), "High", l.Money(high))
}

// comparables says how many of a hundred comparable fares cost less.
func comparables(l *i18n.Language, percentile int) string {
	switch {
	case percentile <= 1:
		return l.Text("departure.hardly_less")
	case percentile >= 99:
		return l.Text("departure.hardly_more")
	}
	return l.Text("departure.less", "Percent", percentile)
}

// waits is what waiting has come to on the record: a column for each horizon.
type waits struct {
	Advice string
	Heads  []string
	Rows   []waitRow
}

type waitRow struct {
	Name  string
	Cells []string
}

// waitsOf tells of a departure what may be expected of it. Nobody is told to wait
// unless waiting was worth it on the record, and then not without how often it went wrong.
func waitsOf(l *i18n.Language, a verdict.Analysis) *waits {
	if a.AnticipoGiorni == nil {
		return nil
	}
	w := &waits{Advice: l.Text("waits.soon")}
	if len(a.Previsione) == 0 {
		return w
	}
	w.Rows = []waitRow{{Name: l.Text("waits.fall")}, {Name: l.Text("waits.rise")}, {Name: l.Text("waits.mean")}, {Name: l.Text("waits.between")}, {Name: l.Text("waits.dearer")}}
	w.Advice = l.Text("waits.no")
	for _, f := range a.Previsione {
		w.Heads = append(w.Heads, l.Text("waits.within", "Days", f.Giorni))
		fall := percentSaid(l, f.Calo5)
		if f.Calo5Oltre {
			fall = l.Text("waits.or_more", "Percent", fall)
		}
		for i, cell := range []string{
			fall, percentSaid(l, f.Rialzo5), changeSaid(l, f.Attesa.MediaCent),
			l.Text("waits.from_to", "From", changeSaid(l, f.Attesa.DaCent), "To", changeSaid(l, f.Attesa.ACent)), percentSaid(l, f.Attesa.PiuCaro),
		} {
			w.Rows[i].Cells = append(w.Rows[i].Cells, cell)
		}
		if f.Conviene { // of both horizons the longer one, which is told last
			w.Advice = l.Text("waits.yes", "Days", f.Giorni, "Change", l.Money(-f.Attesa.MediaCent), "Dearer", int(math.Round(100*f.Attesa.PiuCaro)))
		}
	}
	return w
}

// percentSaid writes a share in whole percent.
func percentSaid(l *i18n.Language, share float64) string {
	if share > 0 && share < .01 {
		return l.Text("format.percent", "Percent", "<1")
	}
	return l.Text("format.percent", "Percent", fmt.Sprint(int(math.Round(100*share))))
}

// changeSaid writes a change of a price.
func changeSaid(l *i18n.Language, c fare.Cents) string {
	switch {
	case c > 0:
		return l.Text("waits.more", "Amount", l.Money(c))
	case c < 0:
		return l.Text("waits.less", "Amount", l.Money(-c))
	}
	return l.Text("waits.same")
}
