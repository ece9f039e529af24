package page

import (
	"strings"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// showDeparture shows a verdict about a departure, or about the cheapest departure of a month.
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
	j.Facts = append(j.Facts, wording.Typical(l, a), wording.Comparables(l, *a.Verdetto.Percentile))
	v.Title += l.Text("format.colon") + " " + brief(l, a.Prezzo.Cent, a.Verdetto)
	v.Description = strings.Join(j.Facts, " ")
	j.describeCertainty(l, a.Verdetto.Affidabilita, "")
	j.Compared = wording.Compared(l, a.Verdetto)
	of := a.Quartili
	c := chart.Range{
		Minimum: wording.Whole(of.MinimoCent), Q1: wording.Whole(of.Q1Cent), Median: wording.Whole(of.MedianaCent),
		Q3: wording.Whole(of.Q3Cent), Maximum: wording.Whole(of.MassimoCent),
		Price: a.Prezzo.Cent, Level: a.Verdetto.Livello, Money: l.Money,
		Label: l.Text("departure.range", "Price", l.Money(a.Prezzo.Cent), "Low", l.Money(wording.Whole(of.Q1Cent)),
			"High", l.Money(wording.Whole(of.Q3Cent)),
			"Median", l.Money(wording.Whole(of.MedianaCent)), "Minimum", l.Money(wording.Whole(of.MinimoCent)),
			"Maximum", l.Money(wording.Whole(of.MassimoCent))),
	}
	j.Range = responsiveChart{c.SVG(680), c.SVG(328)}
	j.Waits = waitsOf(l, a)
}

// priceText states the judged price: a fare that was found, the cheapest around a day, or the
// reader's own price.
func priceText(l *i18n.Language, a verdict.Analysis, around bool) string {
	price := l.Money(a.Prezzo.Cent)
	leaves, err := fare.ParseDay(a.Prezzo.Partenza)
	switch {
	case a.Prezzo.Dichiarato:
		return l.Text("verdict.your_price", "Price", price)
	case err != nil:
		return l.Text("verdict.today", "Price", price, "Departure", a.Prezzo.Partenza)
	case a.Ambito == verdict.InPartenza && around:
		return l.Text("departure.price_around", "Price", price, "Departure", l.Date(leaves))
	case a.Ambito == verdict.InPartenza:
		return l.Text("departure.price", "Price", price, "Departure", l.Date(leaves))
	case a.Ambito == verdict.InMese:
		return l.Text("departure.price_month", "Price", price, "Departure", l.Date(leaves))
	}
	return l.Text("verdict.today", "Price", price, "Departure", l.Date(leaves))
}

// waits is the record of waiting, with a column for each horizon.
type waits struct {
	Advice string
	Heads  []string
	Rows   []waitRow
}

type waitRow struct {
	Name  string
	Cells []string
}

func waitsOf(l *i18n.Language, a verdict.Analysis) *waits {
	if a.AnticipoGiorni == nil {
		return nil
	}
	w := &waits{Advice: wording.Advice(l, a)}
	if w.Advice == "" {
		return nil
	}
	if len(a.Previsione) == 0 {
		return w
	}
	w.Rows = []waitRow{{Name: l.Text("waits.fall")}, {Name: l.Text("waits.rise")}, {Name: l.Text("waits.mean")},
		{Name: l.Text("waits.between")}, {Name: l.Text("waits.dearer")}}
	for _, f := range a.Previsione {
		w.Heads = append(w.Heads, l.Text("waits.within", "Days", f.Giorni))
		for i, cell := range []string{
			wording.Fall(l, f), wording.Percent(l, f.Rialzo5), wording.Change(l, f.Attesa.MediaCent),
			l.Text("waits.from_to", "From", wording.Change(l, f.Attesa.DaCent), "To",
				wording.Change(l, f.Attesa.ACent)), wording.Percent(l, f.Attesa.PiuCaro),
		} {
			w.Rows[i].Cells = append(w.Rows[i].Cells, cell)
		}
	}
	return w
}
