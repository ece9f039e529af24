package scorecard

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"strings"
	"sync"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

//go:embed scorecard.html
var pageTemplate string

var pageHTML = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("scorecard").Parse(pageTemplate))
})

type pageInput struct {
	Lang           string `query:"lang" doc:"Code of the language, before Accept-Language"`
	AcceptLanguage string `header:"Accept-Language"`
}

func (s *Service) page(ctx context.Context, in *pageInput) (*page.Response, error) {
	l := i18n.Choose(in.Lang, in.AcceptLanguage)
	p, err := s.pagella(ctx)
	if err != nil {
		return nil, err
	}
	return Page(p, l, httpapi.Data(ctx) == "sample")
}

type table struct {
	ID, Title, Note string
	Heads           []string
	Rows            [][]string
	Folded          string
}

func Page(p Pagella, l *i18n.Language, invented bool) (*page.Response, error) {
	v := struct {
		T                   *i18n.Language
		Invented            bool
		Lede, Band, Diagram string
		Chart               template.HTML
		Tables              []table
	}{T: l, Invented: invented}
	week := p.Somma.Partenze[0]
	if p.Dal == "" {
		v.Lede = l.Text("pagella.nothing")
		if p.PrimoEsito != "" {
			v.Lede += " " + l.Text("pagella.begins", "First", weekdayText(l, p.PrimoEsito))
		}
	} else {
		v.Lede = l.Text("pagella.lede", "From", dateText(l, p.Dal), "To", dateText(l, p.Al), "Weeks",
			l.Number(p.Settimane), "Source", p.Fonte,
			"Compared", l.Number(week.Confrontate), "Stated", l.Number(week.Dichiarate))
		v.Band = l.Text("pagella.band_in")
		if p.FuoriBanda > 0 {
			v.Band = l.Text("pagella.band_out", "Weeks", p.FuoriBanda)
		}
		v.Diagram = l.Text("pagella.diagram", "Said", shareText(l, week.Detto), "Came", shareText(l, week.Calate),
			"Error", shareText(l, week.Errore))
		r := chart.Reliability{Axes: [2]string{l.Text("pagella.said_axis"),
			l.Text("pagella.came_axis")}, Label: v.Diagram}
		for _, f := range week.Fasce {
			r.Points = append(r.Points, chart.ReliabilityPoint{Stated: f.Detto, Observed: f.Calate, Cases: f.Casi})
		}
		v.Chart = r.SVG(400)
		v.Tables = tablesOf(p, l)
	}
	var body bytes.Buffer
	if err := pageHTML().Execute(&body, v); err != nil {
		return nil, fmt.Errorf("write page of the score: %w", err)
	}
	return page.Respond(http.StatusOK, page.Page{
		Language: l, Title: l.Text("pagella.title"), Description: l.Text("pagella.summary"), Index: true, Styles: []string{"pro.css"},
		Others: page.OtherLanguages(l, "/pagella"),
		Body:   template.HTML(body.String()),
	})
}

func dateText(l *i18n.Language, day string) string {
	d, err := fare.ParseDay(day)
	if err != nil {
		return day
	}
	return l.Date(d)
}

func weekdayText(l *i18n.Language, day string) string {
	d, err := fare.ParseDay(day)
	if err != nil {
		return day
	}
	return l.WeekdayDate(d)
}

func shareText(l *i18n.Language, share float64) string {
	return l.Text("format.percent", "Percent", l.Decimals(fmt.Sprintf("%.1f", math.Abs(100*share))))
}

func shareOf(l *i18n.Language, share float64, cases int) string {
	if cases == 0 {
		return "–"
	}
	return shareText(l, share)
}

func tablesOf(p Pagella, l *i18n.Language) (tables []table) {
	text := func(id string) string { return l.Text("pagella." + id) }
	for _, d := range p.Somma.Partenze {
		bins := table{ID: fmt.Sprint("fasce", d.Giorni), Folded: l.Text("pagella.bins", "Days", d.Giorni),
			Heads: []string{text("stated"), text("cases"), text("said"), text("came"), text("rose"), text("dearer")}}
		for _, f := range d.Fasce {
			name := fmt.Sprintf("%d–%d", int(math.Round(100*f.Da)), int(math.Round(100*f.A))-1)
			if f.A == 1 {
				name = l.Text("waits.or_more", "Percent", "40")
			}
			bins.Rows = append(bins.Rows, []string{name, l.Number(f.Casi), shareText(l, f.Detto),
				shareText(l, f.Calate), shareText(l, f.Salite), shareText(l, f.PiuCare)})
		}
		tables = append(tables, bins)
	}
	levels := table{ID: "livelli", Title: text("levels"), Note: text("levels_note"),
		Heads: []string{text("level"), text("cases"), text("came"), text("walk"), text("shuffled"),
			text("both"), text("rival")}}
	for _, f := range p.Somma.Partenze[0].Livelli {
		levels.Rows = append(levels.Rows, []string{l.Text("level." + f.Livello), l.Number(f.Casi),
			shareOf(l, f.Calate, f.Casi), shareText(l, f.Passeggiata),
			shareOf(l, f.Mescolate, f.Casi), shareOf(l, f.CalateComuni, f.Comuni),
			shareOf(l, f.CalateRivale, f.Rivale)})
	}
	routes := table{ID: "rotte", Title: text("routes"), Note: text("routes_note"),
		Heads: []string{text("level"), text("cases"), text("came"), text("rose")}}
	for _, r := range p.Somma.Rotte.Livelli {
		routes.Rows = append(routes.Rows, []string{l.Text("market." + r.Livello), l.Number(r.Casi),
			shareOf(l, r.Calate, r.Casi), shareOf(l, r.Salite, r.Casi)})
	}
	cover := table{ID: "intervalli", Title: text("cover"), Note: text("cover_note"),
		Heads: []string{text("reliability"), text("percentiles"), text("half"), text("nine_tenths")}}
	for _, c := range p.Somma.Percentili {
		cover.Rows = append(cover.Rows, []string{l.Text("reliability." + c.Affidabilita), l.Number(c.Casi),
			shareOf(l, c.Meta, c.Casi), shareOf(l, c.NoveDecimi, c.Casi)})
	}
	weeks := table{ID: "settimane", Title: text("weeks"), Note: text("weeks_note"),
		Heads: []string{text("week"), text("cases"), text("said"), text("came"), text("in_band")}}
	for _, w := range p.PerSettimana {
		d, in := w.Partenze[0], "–"
		if w.InBanda != nil {
			in = text(map[bool]string{true: "yes", false: "no"}[*w.InBanda])
		}
		weeks.Rows = append(weeks.Rows, []string{strings.ReplaceAll(dateText(l, w.Lunedi), " ", "\u00a0"),
			l.Number(d.Confrontate), shareOf(l, d.Detto, d.Confrontate), shareOf(l, d.Calate, d.Confrontate), in})
	}
	return append(tables, levels, routes, cover, missesTable(p.Scarti, l), missedTable(p, l), weeks)
}

func missedTable(p Pagella, l *i18n.Language) table {
	missed := table{ID: "non-confrontabili", Title: l.Text("pagella.missed"), Note: l.Text("pagella.missed_note"),
		Heads: []string{l.Text("pagella.why"), l.Text("pagella.departures7"), l.Text("pagella.departures14"),
			l.Text("pagella.routes_column")}}
	a, b, r := p.Somma.Partenze[0], p.Somma.Partenze[1], p.Somma.Rotte
	for _, row := range []struct {
		why string
		n   func(NonConfrontabili) int
	}{
		{"gone", func(m NonConfrontabili) int { return m.Partita }},
		{"unseen", func(m NonConfrontabili) int { return m.NonRivista }},
		{"stale", func(m NonConfrontabili) int { return m.Vecchia }},
		{"rule", func(m NonConfrontabili) int { return m.AltraRegola }},
		{"currency", func(m NonConfrontabili) int { return m.AltraValuta }},
	} {
		share := func(n, all int) string { return shareOf(l, float64(n)/float64(max(1, all)), all) }
		missed.Rows = append(missed.Rows, []string{l.Text("pagella." + row.why),
			share(row.n(a.NonConfrontabili), a.Dichiarate),
			share(row.n(b.NonConfrontabili), b.Dichiarate), share(row.n(r.NonConfrontabili), r.Dichiarate)})
	}
	return missed
}
