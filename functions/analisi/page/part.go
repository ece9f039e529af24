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

// Clients of AI agents may show an answer as a part of a page. Such a part uses the page's
// templates and charts. It has no scripts and loads nothing from a network.

type partView struct {
	view
	Page, AlertForm string // full addresses; empty: unknown
}

// newPart returns an empty part of a page. It also returns the asked trip as a question of the page
// at /.
func (s *Service) newPart(ctx context.Context, asked answer.Question, f answer.SeriesData,
	l *i18n.Language) (partView, question, error) {
	amounts, err := s.Amounts(ctx, asked.Show)
	if err != nil {
		return partView{}, question{}, err
	}
	if amounts != nil {
		l = l.InCurrency(strings.ToUpper(asked.Show.Code), amounts)
	}
	from, to := f.Origin.NameIn(l.Code), f.Destination.NameIn(l.Code)
	q := question{from: from, to: to, language: l, chosen: true}
	q.trip, _ = tripOf(asked)
	a := partView{view: view{
		T: l, From: from, To: to, AskFrom: places.Query(f.Origin.City, from),
		AskTo: places.Query(f.Destination.City, to), Trip: q.trip,
		Places: wording.Places(l, asked.From.Name, asked.To.Name), AllFares: httpapi.AllFares(ctx),
		Invented: httpapi.Data(ctx) == "sample",
		today:    fare.DayOf(s.Now()), route: f.Series.Route,
	}}
	return a, q, nil
}

// VerdictPart returns a verdict, and as html the part of a page that shows the verdict. History,
// months and calendar are left out. If rendering fails, VerdictPart logs the error and html is
// empty.
func (s *Service) VerdictPart(ctx context.Context, asked answer.Question, l *i18n.Language) (a verdict.Analysis,
	html string, err error) {
	a, of, err := s.VerdictOf(ctx, asked)
	if err != nil {
		return a, "", err
	}
	part, q, err := s.newPart(ctx, asked, of.SeriesData, l)
	if err == nil {
		part.showVerdict(q, asked, of)
		part.Verdict.Trip = part.tripText(asked)
		part.Page, part.AlertForm = s.Addresses(of.Analysis, asked, l)
	}
	return a, s.write(ctx, part, "app-verdict", err), nil
}

// CalendarPart returns a calendar, and as html the part of a page that shows it. The part shows the
// days of the question's month, or else of the best-judged month. It links to the other months.
func (s *Service) CalendarPart(ctx context.Context, asked answer.Question, l *i18n.Language) (c verdict.Calendario,
	html string, err error) {
	c, f, of, err := s.CalendarOf(ctx, asked, httpapi.AllFares(ctx))
	if err != nil {
		return c, "", err
	}
	part, q, err := s.newPart(ctx, asked, f, l)
	if err == nil {
		part.Verdict = &verdictView{Route: routeName(l, part.From, part.To),
			Trip: part.tripText(answer.Question{Trip: asked.Trip, NonStop: asked.NonStop})}
		part.showCalendar(q, asked, verdict.Analysis{Ambito: verdict.InPartenza}, &of)
		part.openOnly(calendarMonthOf(asked, of))
		part.Page, part.AlertForm = s.Addresses(verdict.Analysis{OrigineIata: string(f.Series.Origin),
			DestinazioneIata: string(f.Series.Destination)}, asked, l)
	}
	return c, s.write(ctx, part, "app-calendar", err), nil
}

// openOnly removes the days of all months except the given month.
func (a *partView) openOnly(month string) {
	for i := range a.Verdict.Calendar.Months {
		m := &a.Verdict.Calendar.Months[i]
		if m.Open = m.ID == calendarID(month); !m.Open {
			m.Weeks = nil
		}
	}
}

// calendarMonthOf returns the question's month. For a question without a date it returns the
// best-judged month. If several months are judged equally well, it returns the earliest.
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

// tripText describes the asked trip in words. If the trip has no return day, the text adds the
// nights away.
func (a partView) tripText(asked answer.Question) string {
	t, _ := tripOf(asked)
	said := []string{t.text(a.T)}
	switch {
	case t.Back != "":
	case asked.Trip == fare.OneWay:
		said = append(said, a.T.Text("ask.one_way"))
	default:
		said = append(said, a.T.Text("app.nights", "Nights", asked.Trip.String()))
	}
	return strings.TrimPrefix(strings.Join(said, " · "), " · ")
}

// write renders a part of a page. If the parameter err is not nil or rendering fails, write logs
// the error and returns "".
func (s *Service) write(ctx context.Context, part partView, template string, err error) string {
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
