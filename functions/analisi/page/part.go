package page

import (
	"bytes"
	"context"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// Clients for agents may show an answer to the person beside it. What they show is
// made here, of the page's own templates and charts: a part of a page, without a
// script and without anything that would have to be fetched.

// app is what such a part shows.
type app struct {
	view
	Page, AlertForm string // whole addresses; empty: not known
}

// newApp is a part of a page about a question that was answered.
func (s *Service) newApp(ctx context.Context, asked answer.Question, f answer.Found, l *i18n.Language) (app, question, error) {
	amounts, err := s.Amounts(ctx, asked.Show)
	if err != nil {
		return app{}, question{}, err
	}
	if amounts != nil {
		l = l.InCurrency(strings.ToUpper(asked.Show.Code), amounts)
	}
	from, to := f.Origin.NameIn(l.Code), f.Destination.NameIn(l.Code)
	q := question{from: from, to: to, language: l, chosen: true}
	q.trip, _ = tripOf(asked)
	a := app{view: view{
		T: l, From: from, To: to, AskFrom: places.Query(f.Origin.City, from), AskTo: places.Query(f.Destination.City, to), Trip: q.trip,
		Places: wording.Places(l, asked.From.Name, asked.To.Name), AllFares: httpapi.AllFares(ctx), Invented: httpapi.Data(ctx) == "sample",
		today: fare.DayOf(s.Now()), route: f.Series.Route,
	}}
	return a, q, nil
}

// JudgedAndShown is Judged, and the verdict as the page shows it, but for its
// history, months and calendar. What cannot be shown is logged, and the answer stands without it.
func (s *Service) JudgedAndShown(ctx context.Context, asked answer.Question, l *i18n.Language) (a verdict.Analysis, shown string, err error) {
	a, of, err := s.VerdictOf(ctx, asked)
	if err != nil {
		return a, "", err
	}
	part, q, err := s.newApp(ctx, asked, of.Found, l)
	if err == nil {
		if asked.When != nil {
			part.showDeparture(q, asked, of.Analysis)
		} else {
			part.showVerdict(q, asked, of, part.today)
		}
		part.Verdict.Trip = part.tripSaid(asked)
		part.Page, part.AlertForm = s.PagesOf(of.Analysis, asked, l)
	}
	return a, s.write(ctx, part, "app-verdict", err), nil
}

// CalendarAndShown is CalendarOf, and the calendar as the page shows it: the days of
// one month, that which was asked about or else the best-judged one, and each other month as a link to its days.
func (s *Service) CalendarAndShown(ctx context.Context, asked answer.Question, l *i18n.Language) (c verdict.Calendario, shown string, err error) {
	c, f, of, err := s.CalendarOf(ctx, asked, httpapi.AllFares(ctx))
	if err != nil {
		return c, "", err
	}
	part, q, err := s.newApp(ctx, asked, f, l)
	if err == nil {
		part.Verdict = &verdictView{Route: routeName(l, part.From, part.To), Trip: part.tripSaid(answer.Question{Trip: asked.Trip, NonStop: asked.NonStop})}
		part.showCalendar(q, asked, verdict.Analysis{}, &of)
		part.openOnly(calendarMonthOf(asked, of))
		part.Page, part.AlertForm = s.PagesOf(verdict.Analysis{OrigineIata: string(f.Series.Origin), DestinazioneIata: string(f.Series.Destination)}, asked, l)
	}
	return c, s.write(ctx, part, "app-calendar", err), nil
}

// openOnly leaves the days of one month alone.
func (a *app) openOnly(month string) {
	for i := range a.Verdict.Calendar.Months {
		m := &a.Verdict.Calendar.Months[i]
		if m.Open = m.ID == calendarID(month); !m.Open {
			m.Weeks = nil
		}
	}
}

// calendarMonthOf is the month that was asked about, or else the one that is judged best; of several the first.
func calendarMonthOf(asked answer.Question, c verdict.Calendario) (month string) {
	if asked.When != nil {
		return asked.When.Date.String()[:len("2006-01")]
	}
	best := 101
	for _, m := range c.Mesi {
		if m.Percentile != nil && *m.Percentile < best {
			best, month = *m.Percentile, m.Mese
		}
	}
	if month == "" && len(c.Mesi) > 0 {
		month = c.Mesi[0].Mese
	}
	return month
}

// tripSaid is a trip in words, with its nights where no day of the way back was named.
func (a app) tripSaid(asked answer.Question) string {
	t, _ := tripOf(asked)
	said := []string{t.said(a.T)}
	switch {
	case t.Back != "":
	case asked.Trip == fare.OneWay:
		said = append(said, a.T.Text("ask.one_way"))
	default:
		said = append(said, a.T.Text("app.nights", "Nights", asked.Trip.String()))
	}
	return strings.TrimPrefix(strings.Join(said, " · "), " · ")
}

// write writes a part; where that or what came before failed, it says so in the log and gives nothing.
func (s *Service) write(ctx context.Context, part app, template string, err error) string {
	var b bytes.Buffer
	if err == nil {
		err = homeHTML.ExecuteTemplate(&b, template, part)
	}
	if err != nil {
		s.Log.ErrorContext(ctx, "answer not shown", "error", err)
		return ""
	}
	return b.String()
}
